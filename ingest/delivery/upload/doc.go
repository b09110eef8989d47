// Package upload sends blocks from a tap on any machine to a tapedeck server, by POST /v1/blocks
// over persistent HTTP connections.
//
// The body of a request is a sequence of blocks (see message.go) with the media type ContentType.
// The answer reports their outcome:
//
//	{"tenant":"acme","max_block":67108864,"alive_ms":5000,"settled":3,
//	 "refused":[{"index":1,"status":410,"reason":"…"}]}
//
// The first "settled" blocks are settled: they are durable, except for the blocks that are refused
// permanently. Later blocks were not accepted, for the reason in "reason" or, in a problem, in
// "detail"; the client sends them again. A repeated block does no harm: it has the same id, and
// blocks are stored by key. "tenant" is the tenant of the token ("" if the token may name any
// tenant), "max_block" the size of the largest block that is accepted, bytes.
//
// The status is 200 once all blocks were read and passed to the publisher, which may be before they
// are durable. It is 429 with Retry-After while the publisher accepts nothing, and 503 while the
// server accepts nothing. For an invalid request it is as HTTP defines it. A client sends the next
// request when it has the status of the previous one, so that blocks are published in the order in
// which they were recorded.
//
// A client that has nothing to send sends an empty request every alive_ms. Upon it the server
// includes the client's recorder, named in RecorderHeader, in its heartbeats.
package upload

import (
	"net/http"
	"time"

	"tapedeck/internal/problem"
)

const (
	// Path is the path of the requests with blocks.
	Path = "/v1/blocks"
	// ContentType is the media type of a sequence of blocks in this version of the format.
	ContentType = "application/vnd.tapedeck.blocks.v1"
	// RecorderHeader names the client's recorder.
	RecorderHeader = "Tapedeck-Recorder"
)

// answer is the body of an answer, and the additional members of a problem.
type answer struct {
	Tenant   string    `json:"tenant"`
	MaxBlock int64     `json:"max_block"` // bytes
	AliveMS  int64     `json:"alive_ms"`
	Settled  int       `json:"settled"`
	Refused  []refusal `json:"refused"`
	Reason   string    `json:"reason,omitempty"` // why the first block that is not settled was not accepted
}

// refusal says why a block is refused permanently.
type refusal struct {
	Index  int    `json:"index"`  // in the request, from 0
	Status int    `json:"status"` // 410 if its session was deleted, otherwise 422
	Reason string `json:"reason"`
}

// failure is the answer to a request of which not all blocks were accepted.
type failure struct {
	problem.Problem
	answer
}

func shuttingDown() *problem.Problem {
	return &problem.Problem{
		Title: "Shutting down", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
		Detail: "This server is shutting down.",
	}
}
