// Package upload carries blocks from a tap on any machine to a tapedeck server, by
// POST /v1/blocks over HTTP connections that are kept alive.
//
// The body of a request is a sequence of blocks (see message.go), of the media type
// ContentType. The answer says what became of them:
//
//	{"tenant":"acme","max_block":67108864,"alive_ms":5000,"settled":3,
//	 "refused":[{"index":1,"status":410,"reason":"…"}]}
//
// The first settled blocks are done with: durable, except for those that are refused
// permanently. What comes after them was not taken, for the reason in "reason" or, in a
// problem, in "detail"; the client sends it again. A block that comes twice does no harm: it
// has the same id, and blocks are stored by key. tenant is whose the token is ("" if it may
// name any tenant), max_block the largest block that is taken, bytes.
//
// The statuses are those of HTTP: 200 once all blocks were read and handed to the publisher,
// which may be before they are durable, 429 with Retry-After while the publisher takes
// nothing, 503 while the server does not, and those of requests that are invalid. A client
// sends the next request when it has the status of the one before, so that blocks are
// published in the order in which they were recorded.
//
// A client that has nothing to send sends an empty request every alive_ms, by which the
// server includes its recorder, named in RecorderHeader, in its heartbeats.
package upload

import (
	"net/http"
	"time"

	"tapedeck/internal/problem"
)

const (
	// Path is where a server takes blocks.
	Path = "/v1/blocks"
	// ContentType is the media type of a sequence of blocks in this version.
	ContentType = "application/vnd.tapedeck.blocks.v1"
	// RecorderHeader names the client's recorder.
	RecorderHeader = "Tapedeck-Recorder"
)

// answer is the body of an answer, and of a problem what goes with it.
type answer struct {
	Tenant   string    `json:"tenant"`
	MaxBlock int64     `json:"max_block"` // bytes
	AliveMS  int64     `json:"alive_ms"`
	Settled  int       `json:"settled"`
	Refused  []refusal `json:"refused"`
	Reason   string    `json:"reason,omitempty"` // why the block after those that are settled was not taken
}

// refusal says why a block will never be taken.
type refusal struct {
	Index  int    `json:"index"`  // in the request, from 0
	Status int    `json:"status"` // 410 if its session was deleted, otherwise 422
	Reason string `json:"reason"`
}

// failure is the answer to a request of which not all was taken.
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
