import { duplicateFields } from './duplicate-fields';

describe('duplicateFields', () => {
  it('names a field that is written twice by its path', () => {
    expect(duplicateFields('{"a":1,"spec":{"x":[{"k":1},{"k":2,"k":3}],"y":1,"y":2}}')).toEqual(['spec.x[1].k', 'spec.y']);
  });

  it('is not misled by values that look like keys', () => {
    expect(duplicateFields('{"a":"b\\",\\"b","b":"a","c":["a","a"],"d":{"a":1}}')).toEqual([]);
  });
});
