import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { NodeApiError } from 'n8n-workflow';
import { OvertureApi } from '../credentials/OvertureApi.credentials';
import { OPERATIONS } from '../nodes/Overture/operations';
import { Overture } from '../nodes/Overture/Overture.node';
import { isSigned } from '../nodes/Overture/signature';
import { context } from './context';

/** A server with these answers, one after the other, and what it was asked. */
async function serving(answers: [number, unknown][], use: (url: string, asked: IncomingMessage[]) => Promise<void>) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const [status, body] = answers[asked.length - 1] ?? [500, {}];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked);
  } finally {
    server.close();
  }
}

const node = new Overture();
const many = { resource: 'campaign', operation: 'getAll', returnAll: true };

test('a list is read to its end, page by page', async () => {
  const pages: [number, unknown][] = [
    [200, { data: [{ id: 1 }], nextCursor: 'next' }],
    [200, { data: [{ id: 2 }], nextCursor: '' }],
  ];
  await serving(pages, async (url, asked) => {
    const [items] = await node.execute.call(context(node, { url, key: 'k', parameters: many }));
    assert.deepEqual(items!.map((item) => item.json.id), [1, 2]);
    assert.match(asked[1]!.url!, /cursor=next/);
    assert.equal(asked[0]!.headers.authorization, 'Bearer k');
  });
});

test('a refusal says what is wrong and what to do', async () => {
  const refused = { error: { message: 'Check the name.', recovery: 'Send it again.', fields: [{ path: 'name', message: 'Too long.' }] } };
  const parameters = { resource: 'list', operation: 'create', name: 'x' };
  await serving([[400, refused]], async (url) => {
    await assert.rejects(node.execute.call(context(node, { url, key: 'k', parameters })), (error: NodeApiError) => {
      assert.equal(error.message, 'Check the name.');
      assert.match(error.description ?? '', /name: Too long\. Send it again\./);
      return true;
    });
  });
});

test('a refused item does not hold the others where the workflow goes on', async () => {
  const parameters = { resource: 'list', operation: 'create', name: 'x' };
  const answers: [number, unknown][] = [
    [409, { error: { message: 'It exists.' } }],
    [201, { id: 5 }],
  ];
  await serving(answers, async (url, asked) => {
    const [items] = await node.execute.call(context(node, { url, key: 'k', parameters, items: 2, continueOnFail: true }));
    assert.deepEqual(items!.map((item) => item.json), [{ error: 'It exists.' }, { id: 5 }]);
    const keys = asked.map((one) => one.headers['idempotency-key']);
    assert.equal(new Set(keys).size, 2);
  });
});

test('each field of an operation is shown for it alone', () => {
  for (const operation of OPERATIONS) {
    const shown = node.description.properties.filter(
      (field) =>
        field.displayOptions?.show?.resource?.includes(operation.resource) &&
        field.displayOptions.show.operation?.includes(operation.value),
    );
    const names = operation.fields.map((field) => field.name);
    assert.deepEqual(shown.map((field) => field.name), operation.isList ? ['returnAll', 'limit'] : names);
    for (const name of operation.path.matchAll(/\{(\w+)\}/g)) assert.ok(names.includes(name[1]!));
  }
});

test('credentials are tried with a call that every key may make', () => {
  const credentials = new OvertureApi();
  assert.equal(credentials.test.request.url, '/v1/me');
  assert.equal(credentials.properties.find((field) => field.name === 'apiKey')?.typeOptions?.password, true);
});

test('what was changed, is old, or signed by someone else is not believed', async () => {
  const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
  const key = await crypto.subtle.importKey('raw', Buffer.alloc(32, 'k'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const body = Buffer.from('{"type": "message_reply"}');
  const signature = Buffer.from(await crypto.subtle.sign('HMAC', key, Buffer.from(`evt_1.1000.${body}`))).toString('base64');
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1000', 'webhook-signature': `v1,AAAA v1,${signature}` };
  assert.equal(await isSigned(secret, body, headers, 1000), true);
  assert.equal(await isSigned(secret, body, headers, 1301), false);
  assert.equal(await isSigned(secret, Buffer.from('{}'), headers, 1000), false);
  assert.equal(await isSigned(`whsec_${Buffer.alloc(32, 'x').toString('base64')}`, body, headers, 1000), false);
  assert.equal(await isSigned(secret, body, {}, 1000), false);
});
