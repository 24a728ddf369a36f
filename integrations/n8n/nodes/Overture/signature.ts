const TOLERANCE = 300; // seconds, as Standard Webhooks says

/** Return whether Overture signed this body with the secret, lately. */
export async function isSigned(
  secret: string,
  body: Uint8Array,
  headers: Record<string, string | string[] | undefined>,
  now = Date.now() / 1000,
): Promise<boolean> {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (!(Math.abs(now - Number(time)) <= TOLERANCE)) return false;
  const raw = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), body]);
  for (const one of (signatures ?? '').split(' ')) {
    const [version, value] = one.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, Buffer.from(value ?? '', 'base64'), signed))) return true;
  }
  return false;
}
