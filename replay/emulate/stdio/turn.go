package stdio

import (
	"slices"

	"tapedeck/replay/emulate/jsonrpc"
)

// turn is a message of the recorded client with what the agent sent because of it.
type turn struct {
	call    jsonrpc.Call // the zero Call at the start of a process
	at      int64        // when the client sent it, ns
	process int          // number of the recorded process
	scopes  []string     // ids of what it is about
	steps   []step       // in recorded order
	open    bool         // it is a request, and no answer was read
}

func (t *turn) has(scope string) bool { return slices.Contains(t.scopes, scope) }

// step is a part of a turn.
type step struct {
	kind stepKind
	at   int64  // when it was recorded, ns
	line []byte // a line of the agent
	// id is the id of a request of the agent as JSON: of the one that the line is, or whose answer is
	// awaited.
	id       string
	method   string // of a message of the agent
	answers  bool   // the line is the answer to the turn's request
	progress bool   // the line has the progress token of the turn's request
	code     int    // exit code
}

type stepKind uint8

const (
	sends  stepKind = iota // the agent sends a line
	awaits                 // the client answers a request of the agent
	cancel                 // the client cancels the turn
	exits                  // the process ends by itself
)
