package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// Headers of a log's messages.
const (
	headerKind = "Tapedeck-Kind"
	// headerForwarded is the sequence up to which the publisher has accepted all blocks of
	// the log for the sink.
	headerForwarded = "Tapedeck-Handed"
	headerID        = "Tapedeck-Block" // the block's id
	headerFrames    = "Tapedeck-Frames"
	// headerMasked describes masked frames as they were sent: "SEQ=BYTESEND,…", where END is their
	// line ends as letters, such as "rn". It has each frame whose block is in the log; the header may
	// be of an earlier block.
	headerMasked = "Tapedeck-Masked"
)

// Kinds of messages.
const (
	kindOpen  = "open"
	kindClaim = "claim"
	kindBlock = "block"
	kindEnd   = "end"
)

// Params are the parameters that must be equal in all requests with a key.
type Params struct {
	Session   string            `json:"session,omitempty"`
	Dialect   string            `json:"dialect,omitempty"`
	Tags      map[string]string `json:"tags,omitempty"`
	Transport schema.Transport  `json:"transport"`
	Clock     string            `json:"clock,omitempty"` // "frame", or "" for arrival
}

// text returns a comparable form.
func (p *Params) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return string(text)
}

// differences names the parameters that differ from others, as the API names them.
func (p *Params) differences(now *Params) string {
	was, is := p.named(), now.named()
	var list []string
	for i := range was {
		if was[i] != is[i] {
			list = append(list, was[i]+" then, "+is[i]+" now")
		}
	}
	return strings.Join(list, "; ")
}

// named returns the parameters with their names in the API, in a fixed order.
func (p *Params) named() [4]string {
	var tags []string
	for _, key := range slices.Sorted(maps.Keys(p.Tags)) {
		tags = append(tags, key+":"+p.Tags[key])
	}
	return [...]string{
		named("session", p.Session), named("dialect", p.Dialect), named("tag", tags...), sentAs(p.Transport),
	}
}

func named(name string, values ...string) string {
	text := name
	for _, v := range values {
		if v == "" {
			continue
		}
		text += " " + strconv.Quote(v)
	}
	if text == name {
		return "no " + name
	}
	return text
}

func sentAs(t schema.Transport) string {
	switch t {
	case schema.NDJSON:
		return named("Content-Type", "application/x-ndjson")
	case schema.SSE:
		return named("Content-Type", "text/event-stream")
	case schema.EventStream:
		return named("Content-Type", "application/vnd.amazon.eventstream")
	}
	return named("transport", t.String())
}

// opening is the content of the messages that open or claim a log.
type opening struct {
	Key      string `json:"key"`
	StreamID string `json:"stream_id"`
	Attempt  uint64 `json:"attempt"`
	Params   Params `json:"params"`
	Limit    int    `json:"frame_limit"` // frame limit of the framer; another limit would change the numbers of the frames
}

// Result describes a stream that was recorded to its end.
type Result struct {
	StreamID string `json:"stream_id"`
	Frames   uint64 `json:"frames"`
	Bytes    uint64 `json:"bytes"`
	Params   Params `json:"params"`
	Key      string `json:"key"`
	// Digest is the SHA-256 of the whole stream as it was sent. TailDigest is the SHA-256 of the input
	// of the last attempt, which began at Tail. Either is "" if it is not known.
	Digest     string `json:"digest"`
	Tail       uint64 `json:"tail"`
	TailDigest string `json:"tail_digest"`
	// Answer is the response to the client, even if it was not delivered.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// subject returns the subject of a key's log.
func subject(tenant, key string) string {
	sum := sha256.Sum256([]byte(key))
	return SubjectPrefix + tenant + "." + hex.EncodeToString(sum[:16])
}

func message(subject, kind string, handed uint64, data []byte) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: data, Header: nats.Header{
		headerKind: {kind}, headerForwarded: {strconv.FormatUint(handed, 10)},
	}}
}

func jsonMessage(subject, kind string, handed uint64, v any) *nats.Msg {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return message(subject, kind, handed, text)
}

func blockMessage(subject string, handed uint64, q *queued) *nats.Msg {
	m := message(subject, kindBlock, handed, q.block.Data)
	m.Header[headerID] = []string{q.block.ID}
	m.Header[headerFrames] = []string{strconv.Itoa(q.block.Frames)}
	if len(q.masked) > 0 {
		m.Header[headerMasked] = []string{maskedText(q.masked)}
	}
	return m
}

// blockOf is the inverse of blockMessage. session is the session of the decoded block.
func blockOf(h nats.Header, tenant, session string, data []byte) ingest.EncodedBlock {
	frames, _ := strconv.Atoi(h.Get(headerFrames)) // only a log line contains it
	return ingest.EncodedBlock{Tenant: tenant, Session: session, ID: h.Get(headerID), Frames: frames, Data: data}
}

func forwardedOf(h nats.Header) uint64 {
	n, _ := strconv.ParseUint(h.Get(headerForwarded), 10, 64) // 0 forwards all blocks again
	return n
}

func decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("log of an idempotency key: %w", err)
	}
	return nil
}
