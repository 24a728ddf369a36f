import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  INodePropertyOptions,
  JsonObject,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/** Call an operation of `/v1`; a refusal becomes an error that says what to do, but for what `mayBeGone`. */
export async function call(
  context: Context,
  method: IHttpRequestMethods,
  path: string,
  more: { body?: IDataObject; query?: IDataObject; once?: string; mayBeGone?: boolean } = {},
): Promise<IDataObject> {
  const { url } = await context.getCredentials<{ url: string }>('overtureApi');
  const answer = await context.helpers.httpRequestWithAuthentication.call(context, 'overtureApi', {
    method,
    url: `${url.replace(/\/+$/, '')}/v1${path}`,
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    ...(more.body && { body: more.body }),
    ...(more.query && { qs: more.query }),
    ...(more.once && { headers: { 'Idempotency-Key': more.once } }),
  });
  if (answer.statusCode < 400 || (answer.statusCode === 404 && more.mayBeGone)) return (answer.body ?? {}) as IDataObject;
  const error = (answer.body?.error ?? {}) as { message?: string; recovery?: string; fields?: Wrong[] };
  const fields = (error.fields ?? []).map((one) => `${one.path}: ${one.message}`);
  throw new NodeApiError(context.getNode(), (answer.body ?? {}) as JsonObject, {
    message: error.message ?? `Overture answered ${answer.statusCode}.`,
    description: [...fields, error.recovery].filter(Boolean).join(' '),
    httpCode: String(answer.statusCode),
  });
}

interface Wrong {
  path: string;
  message: string;
}

/** Read a list page by page: all of it, or its first `limit` things. */
export async function all(context: Context, path: string, query: IDataObject, limit: number): Promise<IDataObject[]> {
  const found: IDataObject[] = [];
  let cursor = '';
  do {
    const size = Math.min(100, limit - found.length);
    const page = await call(context, 'GET', path, { query: { ...query, limit: size, ...(cursor && { cursor }) } });
    found.push(...(page.data as IDataObject[]));
    cursor = (page.nextCursor as string) ?? '';
  } while (cursor && found.length < limit);
  return found;
}

/** Return the things of a list as choices of a field. */
export async function choices(context: ILoadOptionsFunctions, path: string): Promise<INodePropertyOptions[]> {
  const found = await all(context, path, {}, 1000);
  return found.map((one) => ({ name: String(one.name), value: one.id as number }));
}
