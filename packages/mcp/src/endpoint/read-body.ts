import type { IncomingMessage } from 'node:http';

/** The body of a request, at most `maxBytes` of it; what is longer is not kept. Rejects when the client breaks off. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too large'> {
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve('too large');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        request.pause();
        resolve('too large');
      }
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The client broke off.')));
  });
}
