import { escapeBraces } from './helm-chart';

describe('escapeBraces', () => {
  it('makes a template that Helm gives back as the text it was', () => {
    const text = 'summary: {{ $labels.service }} is {{ $value }}\n"}}{{{"';
    // All that Helm would find to evaluate are these constants.
    const rendered = escapeBraces(text).replaceAll(/\{\{ "(.*?)" \}\}/g, '$1');

    expect(rendered).toBe(text);
    expect(escapeBraces(text).replaceAll('{{ "{{" }}', '')).not.toContain('{{');
  });
});
