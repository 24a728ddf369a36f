// Retries, pages and errors, against a local server that answers as it is told.

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import { ApiError, Conflict, ConnectionFailed, Overture, OvertureError, RateLimited, Unavailable } from "../src/index.js";

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | "lost";
interface Received {
  method: string;
  url: string;
  key: string | undefined;
  body: string;
}

let answers: Answer[] = [];
let requests: Received[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const part of request) body += part;
  const key = request.headers["idempotency-key"] as string | undefined;
  requests.push({ method: request.method ?? "", url: request.url ?? "", key, body });
  const next = answers.shift() ?? { status: 500 };
  if (next === "lost") {
    request.socket.destroy();
    return;
  }
  response.writeHead(next.status ?? 200, { "content-type": "application/json", ...next.headers });
  response.end(typeof next.body === "string" ? next.body : JSON.stringify(next.body ?? {}));
}

const server = createServer((request, response) => void answer(request, response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const overture = new Overture({ baseUrl, key: "key", retries: { firstWait: 0 } });
const create = () => overture.post("/v1/lists", { body: { name: "Founders" } });
const BUSY = { error: { code: "unavailable", message: "The database is busy.", requestId: "req_1", recovery: "Wait." } };
const FAST = { error: { code: "rate_limited", message: "Too many requests.", requestId: "req_2" } };
const LIST = { id: 7, name: "Founders" };

beforeEach(() => {
  answers = [];
  requests = [];
});
after(() => server.close());

test("a busy server is asked again with the same key, and the next request has another", async () => {
  answers = [
    { status: 503, body: BUSY },
    { status: 429, body: FAST, headers: { "retry-after": "0" } },
    { status: 201, body: LIST },
    { status: 201, body: LIST },
  ];
  assert.equal((await create()).id, 7);
  await create();
  const keys = requests.map((request) => request.key);
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert(keys[0]);
  assert.notEqual(keys[3], keys[0]);
  assert.deepEqual(new Set(requests.map((request) => request.body)), new Set(['{"name":"Founders"}']));
});

test("a key of one's own is sent", async () => {
  answers = [{ status: 201, body: LIST }];
  await overture.post("/v1/lists", {
    params: { header: { "Idempotency-Key": "founders" } },
    body: { name: "Founders" },
  });
  assert.equal(requests[0]?.key, "founders");
});

test("tries end with the error of the last one", async () => {
  answers = Array.from({ length: 6 }, () => ({ status: 503, body: BUSY }));
  await assert.rejects(create(), (error: Unavailable) => {
    assert(error instanceof Unavailable);
    assert.equal(error.message, "The database is busy. Wait.");
    return error.name === "Unavailable" && error.code === "unavailable" && error.requestId === "req_1";
  });
  assert.equal(answers.length, 1);
});

test("a server that asks for too much time is not waited for", async () => {
  answers = [{ status: 429, body: FAST, headers: { "retry-after": "3600" } }];
  await assert.rejects(create(), RateLimited);
});

test("an earlier try that still runs is waited for, another conflict is not", async () => {
  const conflict = { error: { code: "conflict", message: "It is still running.", requestId: "req_3" } };
  answers = [
    { status: 409, body: conflict, headers: { "retry-after": "0" } },
    { status: 409, body: conflict },
  ];
  await assert.rejects(create(), Conflict);
  assert.equal(answers.length, 0);
});

test("invalid fields are named", async () => {
  const fields = [{ path: "name", message: "Use a text." }];
  const error = { code: "invalid_request", message: "The request is not valid.", requestId: "req_4", fields };
  answers = [{ status: 400, body: { error } }];
  await assert.rejects(create(), { name: "InvalidRequest", fields, message: "The request is not valid. name: Use a text." });
});

test("an answer that is not Overture's is an error, too", async () => {
  answers = [{ status: 403, body: "<h1>Forbidden</h1>" }];
  await assert.rejects(create(), (error: ApiError) => error instanceof ApiError && error.code === "");
});

for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
  test(`after a lost answer ${method} is sent again`, async () => {
    answers = Array.from({ length: 6 }, () => "lost" as const);
    const call = overture.client[method] as (path: string, init: object) => Promise<unknown>;
    await assert.rejects(call("/v1/lists", method === "GET" ? {} : { body: { name: "Founders" } }), (error: ConnectionFailed) => {
      assert(error instanceof ConnectionFailed && error instanceof OvertureError);
      return (error.idempotencyKey !== null) === (method !== "GET");
    });
    assert.equal(requests.length, 5);
  });
}

test("pages are read as you go, with the same filters", async () => {
  answers = [
    { body: { data: [{ id: 7 }], nextCursor: "abc" } },
    { body: { data: [{ id: 8 }], nextCursor: "" } },
  ];
  const lists = overture.all("/v1/lists", { params: { query: { limit: 1 } } });
  assert.equal(requests.length, 0);
  const ids: number[] = [];
  for await (const list of lists) ids.push(list.id);
  assert.deepEqual(ids, [7, 8]);
  assert.deepEqual(
    requests.map((request) => request.url),
    ["/v1/lists?limit=1", "/v1/lists?limit=1&cursor=abc"],
  );
});

test("a caller who gives up is not kept waiting", async () => {
  answers = [{ status: 429, body: FAST, headers: { "retry-after": "50" } }];
  const given = new AbortController();
  const call = overture.get("/v1/lists", { signal: given.signal });
  while (requests.length === 0) await new Promise(setImmediate);
  given.abort();
  await assert.rejects(call, { name: "AbortError" });
});
