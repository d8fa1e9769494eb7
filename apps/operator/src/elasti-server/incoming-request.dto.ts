import { IsInt, IsOptional, Matches, Min } from 'class-validator';

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A resolver's call for a wake. Fields beyond these are ignored: other clients may send more. */
export class IncomingRequestDto {
  @IsOptional()
  @IsInt({ message: 'count must be a whole number' })
  @Min(0, { message: 'count must be 0 or more' })
  count?: number;

  @Matches(dnsLabel, { message: 'svc must be the name of a Service: small letters, digits and dashes, at most 63' })
  svc!: string;

  @Matches(dnsLabel, { message: 'namespace must be the name of a namespace: small letters, digits and dashes, at most 63' })
  namespace!: string;
}
