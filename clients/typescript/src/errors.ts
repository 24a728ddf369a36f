// Errors: one class per error code of the API, so that a program catches what it can mend.

import type { components } from "./schema.js";

export type ErrorCode = components["schemas"]["ErrorEnvelope"]["error"]["code"];

/** One invalid field: its JSON path, such as `profiles[3].profileUrl`, and what is wrong with it. */
export interface FieldProblem {
  path: string;
  message: string;
}

interface Envelope {
  code?: string;
  message?: string;
  requestId?: string;
  recovery?: string;
  fields?: FieldProblem[];
}

/** Anything that went wrong between you and Overture. */
export class OvertureError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** No response arrived, after all tries. A POST may have taken effect: repeat it with the same idempotency key. */
export class ConnectionFailed extends OvertureError {
  constructor(
    message: string,
    readonly idempotencyKey: string | null,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** The server refused, and nothing was changed. `code` is "" if a proxy responded instead. */
export class ApiError extends OvertureError {
  readonly code: string;
  readonly requestId: string;
  readonly recovery: string;
  readonly fields: FieldProblem[];

  constructor(
    readonly status: number,
    error: Envelope,
  ) {
    const problems = (error.fields ?? []).map((field) => `${field.path}: ${field.message}`).join(" ");
    const said = error.message ?? `The server returned ${status}.`;
    super([said, problems || error.recovery].filter(Boolean).join(" "));
    this.code = error.code ?? "";
    this.requestId = error.requestId ?? "";
    this.recovery = error.recovery ?? "";
    this.fields = error.fields ?? [];
  }
}

/** The request is not valid; `fields` lists every problem. */
export class InvalidRequest extends ApiError {}
/** The server does not support this value. */
export class NotSupported extends ApiError {}
/** The API key is missing or not valid. */
export class Unauthorized extends ApiError {}
/** The key lacks the scope. */
export class Forbidden extends ApiError {}
/** The subscription has ended. Reading still works. */
export class SubscriptionRequired extends ApiError {}
/** The plan's quota or the credits are used up. */
export class PlanLimitExceeded extends ApiError {}
/** The workspace is suspended. */
export class WorkspaceSuspended extends ApiError {}
/** The object does not exist, or belongs to another workspace. */
export class NotFound extends ApiError {}
/** The current state does not allow this, or the idempotency key has been used for a different request. */
export class Conflict extends ApiError {}
/** A newer message has arrived since you read the conversation. */
export class ConversationChanged extends ApiError {}
/** Too many requests with this key, after all tries. */
export class RateLimited extends ApiError {}
/** The server is busy, after all tries. */
export class Unavailable extends ApiError {}
/** Something went wrong on the server, after all tries. */
export class Internal extends ApiError {}

const BY_CODE: Record<ErrorCode, typeof ApiError> = {
  invalid_request: InvalidRequest,
  not_supported: NotSupported,
  unauthorized: Unauthorized,
  forbidden: Forbidden,
  subscription_required: SubscriptionRequired,
  plan_limit_exceeded: PlanLimitExceeded,
  workspace_suspended: WorkspaceSuspended,
  not_found: NotFound,
  conflict: Conflict,
  conversation_changed: ConversationChanged,
  rate_limited: RateLimited,
  unavailable: Unavailable,
  internal: Internal,
};

/** The error that a response reports. */
export async function errorOf(response: Response): Promise<ApiError> {
  const error = await envelope(response);
  const kinds: Partial<Record<string, typeof ApiError>> = BY_CODE;
  const Kind = kinds[error.code ?? ""] ?? ApiError;
  return new Kind(response.status, error);
}

async function envelope(response: Response): Promise<Envelope> {
  try {
    const { error } = (await response.json()) as { error?: Envelope };
    if (error && typeof error === "object") return error;
  } catch {
    // no JSON: something in between answered
  }
  const requestId = response.headers.get("X-Request-Id");
  return requestId ? { requestId } : {};
}
