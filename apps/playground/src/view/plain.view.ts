import type { View, Screen } from './view';

/** For files and pipes: what is said, a line each, and no table. */
export class PlainView implements View {
  constructor(private readonly screen: Screen) {}

  say(text: string): void {
    this.screen.write(`${text}\n`);
  }

  show(): void {
    // The lines tell it all.
  }

  close(): void {
    // Nothing to put back.
  }
}
