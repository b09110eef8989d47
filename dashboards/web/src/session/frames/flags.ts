import type { Schemas } from '../../api/client'

/** What a mark on a frame means. */
export const flagMeanings: Record<Schemas['Frame']['flags'][number], string> = {
  not_json: 'Its content is not JSON.',
  invalid_utf8: 'Its bytes are not valid UTF-8.',
  nul: 'A NUL byte is among its bytes.',
  unterminated: 'The stream ended inside of it.',
  oversize: 'A piece of a message that is over the size limit; it was kept, and not read.',
  binary: 'A binary message of a WebSocket.',
  joined: 'It came in the same read as the frame before it.',
  note: 'It holds no message: a comment, a blank line, or the head of an HTTP message.',
  unknown_type: 'Its dialect does not know this type.',
  event_gap: 'Ids are missing before it: frames were lost at the source.',
  event_repeat: 'It has the id of the frame before it once more.',
  event_back: 'Its id is below that of the frame before it.',
  too_deep: 'It is valid JSON, nested too deep to be looked into.',
  redacted: 'Secrets were taken out of it before it was recorded.',
  bad_checksum: 'It fails the checksum of its message, or stands between two messages of an event stream.',
  unread_usage: 'It states how many tokens something used, in a form that is not read: they are in no sum.',
  copied: 'It repeats a message that another file of the agent has: it counts there.',
}
