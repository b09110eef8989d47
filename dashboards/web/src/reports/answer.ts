import { answered } from '../api/client'

/** A report as JSON. The API document also allows CSV, which is not requested here. */
export async function reported<T>(
  request: Promise<{ data?: T | string; error?: unknown; response: Response }>,
): Promise<Exclude<T, string>> {
  const report = await answered(request)
  if (typeof report === 'string') throw new Error('The server answered with text in place of JSON.')
  return report as Exclude<T, string>
}
