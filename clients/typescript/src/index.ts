// The TypeScript client of Overture. What operations take and answer is generated from the server's OpenAPI document
// into `schema.ts`; what stands beside it is written by hand: retries, pages, errors and webhooks.

import createClient from "openapi-fetch";
import type { Client, FetchResponse, MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, MediaType, PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";
import { RETRIES, type Retries, retrying } from "./retries.js";
import type { components, paths } from "./schema.js";

export * from "./errors.js";
export type { Retries } from "./retries.js";
export type { components, operations, paths, webhooks } from "./schema.js";
export * from "./webhooks.js";

/** Every type by its name: `Schemas["Campaign"]`. */
export type Schemas = components["schemas"];

type Operation<Path extends keyof paths, Method extends HttpMethod> = Extract<
  paths[Path][Method],
  Record<string | number, unknown>
>;
/** The second argument of a call; only required for a body or path parameters. */
type InitParam<Init> =
  RequiredKeysOf<Init> extends never ? [(Init & { [key: string]: unknown })?] : [Init & { [key: string]: unknown }];
type Answered<Fetched> = Fetched extends { data: infer Data; error?: never } ? Data : never;
type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<paths, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<Answered<FetchResponse<Operation<Path, Method>, Init, MediaType>>>;

type PageOf<Item> = { data: Item[]; nextCursor: string };
type ItemOf<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Page } } } }
  ? Page extends PageOf<infer Item>
    ? Item
    : never
  : never;
/** The paths that return pages of a list. */
export type PagedPath = {
  [Path in PathsWithMethod<paths, "get">]: [ItemOf<paths[Path]["get"]>] extends [never] ? never : Path;
}[PathsWithMethod<paths, "get">];

export interface Options {
  /** Where the server is, without `/v1`. */
  baseUrl: string;
  /** An API key, from Developers → API keys. */
  key: string;
  retries?: Partial<Retries>;
  /** Sends one request; `fetch` by default. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A call that resolves to the response's data; errors have been thrown before. */
function answerOf<Method extends HttpMethod>(call: unknown): Call<Method> {
  const send = call as (path: string, ...init: unknown[]) => Promise<{ data?: unknown }>;
  return (async (path: string, ...init: unknown[]) => (await send(path, ...init)).data) as Call<Method>;
}

/** One server with one API key. Calls resolve to the operation's response, or throw an `OvertureError`. */
export class Overture {
  /** The underlying openapi-fetch client, for anything special. It retries and throws, too. */
  readonly client: Client<paths>;
  readonly get: Call<"get">;
  readonly post: Call<"post">;
  readonly put: Call<"put">;
  readonly patch: Call<"patch">;
  readonly delete: Call<"delete">;

  constructor({ baseUrl, key, retries, fetch = globalThis.fetch }: Options) {
    this.client = createClient<paths>({
      baseUrl: baseUrl.replace(/\/+$/, ""),
      headers: { Authorization: `Bearer ${key}` },
      fetch: retrying({ ...RETRIES, ...retries }, (request) => fetch(request)),
    });
    this.get = answerOf(this.client.GET);
    this.post = answerOf(this.client.POST);
    this.put = answerOf(this.client.PUT);
    this.patch = answerOf(this.client.PATCH);
    this.delete = answerOf(this.client.DELETE);
  }

  /** All items in a list, read page by page as you iterate: `for await (const lead of overture.all("/v1/leads"))`. */
  async *all<Path extends PagedPath, Init extends MaybeOptionalInit<paths[Path], "get">>(
    path: Path,
    ...init: InitParam<Init>
  ): AsyncGenerator<ItemOf<paths[Path]["get"]>, void, undefined> {
    const given = (init[0] ?? {}) as { params?: { query?: Record<string, unknown> } };
    const read = this.get as unknown as (path: Path, init: object) => Promise<PageOf<ItemOf<paths[Path]["get"]>>>;
    let query = given.params?.query ?? {};
    while (true) {
      const page = await read(path, { ...given, params: { ...given.params, query } });
      yield* page.data;
      if (page.nextCursor === "") return;
      query = { ...query, cursor: page.nextCursor };
    }
  }
}
