import { Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { HttpProblem } from '@elasti/operator-kit/program';
import { IncomingRequestDto } from './incoming-request.dto';

const example = '{"count":1,"svc":"web","namespace":"shop"}';

/** Makes a wake call of the text of a body. @throws HttpProblem 400 that names every wrong field and what it must be */
@Injectable()
export class IncomingRequestPipe implements PipeTransform<string | undefined, IncomingRequestDto> {
  transform(text: string | undefined): IncomingRequestDto {
    const { count, svc, namespace } = parseObject(text ?? '');
    const request = Object.assign(new IncomingRequestDto(), { count, svc, namespace });
    const fields = validateSync(request).map(({ property, constraints = {} }) => ({
      field: property,
      problem: Object.values(constraints).join('; '),
    }));
    if (fields.length === 0) return request;
    throw new HttpProblem(400, { message: fields.map(({ problem }) => problem).join('; '), fields });
  }
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpProblem(400, { message: `the body must be JSON such as ${example}` });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpProblem(400, { message: `the body must be one JSON object such as ${example}` });
  }
  return value as Record<string, unknown>;
}
