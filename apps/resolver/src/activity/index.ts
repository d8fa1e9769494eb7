export * from './activity-report';
export * from './rehearsal';
export * from './tcp-connect';
