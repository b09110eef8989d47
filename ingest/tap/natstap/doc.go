// Package natstap records what is published on NATS: the messages of a subject, with wildcards,
// or the messages of a JetStream stream.
//
// Each message is a frame that holds the message's subject and headers as schema.AppendNATS encodes
// them. The messages of one subject are one stream of the recording. If a header names the session,
// the messages of one subject and one session are one stream.
//
// A subscription without JetStream misses messages that are published while it is not connected,
// and messages that the server drops because the subscription is too slow. Both are counted,
// logged, and noted in the streams that are open at the time.
//
// A JetStream stream is read by its sequence numbers. The numbers that were recorded are stored in
// a directory. After a restart the same messages become the same frames of the same streams, so
// recording is idempotent: see position. A consumer with a name acknowledges each message once its
// frames are durable.
package natstap
