package deadletters

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema/block"
)

// Letter is a block that was set aside.
type Letter struct {
	Seq     uint64    `json:"seq"` // its number in the dead-letter stream
	At      time.Time `json:"at"`  // when it was set aside
	Reason  string    `json:"reason"`
	Subject string    `json:"subject"` // where the block would have been published by itself, without partitions
	Tenant  string    `json:"tenant"`
	Bytes   int       `json:"bytes"`
	// Tries counts the retries since the block was set aside; TriedAt is the time of the latest
	// retry.
	Tries   int        `json:"tries"`
	TriedAt *time.Time `json:"tried_at,omitempty"`
	// The following are set if the block can be read:
	Session  string `json:"session_id,omitempty"`
	StreamID string `json:"stream_id,omitempty"`
	FirstSeq uint64 `json:"first_seq"`
	Frames   int    `json:"frames"`
}

// read returns the letter that a message and its headers describe.
func read(m *jetstream.RawStreamMsg) Letter {
	l := Letter{
		Seq: m.Sequence, At: since(m.Header, m.Time), Bytes: len(m.Data), Tries: tries(m.Header),
		Reason: m.Header.Get(stream.HeaderReason), Subject: m.Header.Get(stream.HeaderSubject),
	}
	if l.Tries > 0 {
		at := m.Time.UTC()
		l.TriedAt = &at
	}
	l.Tenant, _ = ingest.SubjectTenant(l.Subject) // "" for a foreign subject
	b, err := block.Decode(m.Data)
	if err != nil {
		return l // unreadable blocks are dead letters too
	}
	l.Session, l.StreamID, l.Frames = b.Session, b.State.StreamID, len(b.Frames)
	if len(b.Frames) > 0 {
		l.FirstSeq = b.Frames[0].Seq
	}
	return l
}

// versionsKept bounds the versions that a letter lists.
const versionsKept = 8

// Header returns the header of a block that the given version sets aside for a reason. was is the
// header with which the block arrived. If the block was set aside before, Header keeps the first
// reason and time, and counts the retry.
func Header(was nats.Header, subject, version string, reason error) nats.Header {
	h := nats.Header{
		stream.HeaderReason:  {reason.Error()},
		stream.HeaderSubject: {subject},
	}
	for _, name := range []string{stream.HeaderReason, stream.HeaderSince, stream.HeaderTries} {
		if value := was.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	versions := append(slices.DeleteFunc(triedBy(was), func(v string) bool { return v == version }), version)
	h.Set(stream.HeaderTriedBy, strings.Join(versions[max(0, len(versions)-versionsKept):], ","))
	return h
}

// retried returns the header for publishing a letter again.
func retried(m *jetstream.RawStreamMsg) nats.Header {
	h := nats.Header{}
	for _, name := range []string{stream.HeaderReason, stream.HeaderTriedBy} {
		if value := m.Header.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	h.Set(stream.HeaderSince, since(m.Header, m.Time).Format(time.RFC3339Nano))
	h.Set(stream.HeaderTries, strconv.Itoa(tries(m.Header)+1))
	return h
}

// since returns when a letter was first set aside; at is the time of the latest one.
func since(h nats.Header, at time.Time) time.Time {
	if first, err := time.Parse(time.RFC3339Nano, h.Get(stream.HeaderSince)); err == nil {
		return first.UTC()
	}
	return at.UTC()
}

// tries returns how often a letter was retried.
func tries(h nats.Header) int {
	n, err := strconv.Atoi(h.Get(stream.HeaderTries))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// triedBy returns the versions that could not store a letter.
func triedBy(h nats.Header) []string {
	text := h.Get(stream.HeaderTriedBy)
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
