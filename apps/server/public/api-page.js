/** Reads /api/openapi.json to a person: each route, what it takes, what it answers. */
import { h, show } from './dom.js';

const nameOf = (schema) => schema?.$ref?.split('/').at(-1) ?? null;
const schemaOf = (schema) => {
  const name = nameOf(schema);
  return name === null
    ? h('pre', { class: 'json', tabindex: '0' }, JSON.stringify(schema, null, 2))
    : h('p', {}, h('a', { href: `#${name}` }, name));
};

const body = (title, schema) => (schema ? h('details', {}, h('summary', {}, title), schemaOf(schema)) : null);

const operation = (path, method, one) =>
  h(
    'section',
    {},
    h('h2', {}, h('code', {}, `${method.toUpperCase()} ${path}`)),
    h('p', {}, one.summary ?? '', one.security?.length === 0 ? ' (open)' : ''),
    (one.parameters ?? []).length > 0
      ? h(
          'p',
          { class: 'small' },
          'Takes ',
          one.parameters.map((parameter) => [
            h('code', {}, parameter.name),
            ` in ${parameter.in}${parameter.required ? '' : ', optional'}; `,
          ]),
        )
      : null,
    body('Body', Object.values(one.requestBody?.content ?? {})[0]?.schema),
    Object.entries(one.responses ?? {}).map(([status, response]) =>
      body(`Answers ${status}`, Object.values(response.content ?? {})[0]?.schema),
    ),
  );

const response = await fetch('/api/openapi.json');
const document_ = await response.json();
show(
  'view',
  h('p', {}, document_.info.description),
  h('p', {}, 'The whole description: ', h('a', { href: '/api/openapi.json' }, '/api/openapi.json'), ' (OpenAPI 3.1).'),
  Object.entries(document_.paths).map(([path, methods]) => Object.entries(methods).map(([method, one]) => operation(path, method, one))),
  h('h2', {}, 'Shapes'),
  Object.entries(document_.components?.schemas ?? {}).map(([name, schema]) =>
    h('details', { id: name }, h('summary', {}, name), h('pre', { class: 'json', tabindex: '0' }, JSON.stringify(schema, null, 2))),
  ),
);
