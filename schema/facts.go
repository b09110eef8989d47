package schema

// A fact is derived by a dialect from the frames of one stream: a Span, a Message or a
// Usage. Facts are keyed and last-wins: a fact that is emitted again, later or twice,
// replaces itself, so that repeating any part of a stream is idempotent.

// Fact holds the common fields of all facts.
type Fact struct {
	// ID is the key within the session. Two streams that use the same ID refer to the same
	// thing, so an id is either globally unique (a tool call's) or includes the stream's
	// id.
	ID string
	// Session is the conversation that the frames name, "" if they name none; the recorder
	// decides where the fact is stored.
	Session string
	Run     string // the run's id, as the frames name it
	Node    string // the node run's id
	Agent   string
	// SeenAt and SeenSeq are the frame that first mentioned it in this stream; they never
	// change and are part of the key.
	SeenAt  int64
	SeenSeq uint64
	// Version is the Seq of the last frame that changed it, plus one. Of two records with
	// the same key the one with the higher version counts.
	Version uint64
}

// SpanKind is the kind of a span.
type SpanKind string

const (
	SpanRun  SpanKind = "run"  // from a user message to its reply
	SpanNode SpanKind = "node" // one node's (or step's, or sub-agent's) share of a run
	SpanLLM  SpanKind = "llm"  // one call of a model
	SpanTool SpanKind = "tool" // one tool call
)

// Status is the state of a span.
type Status string

const (
	StatusOpen      Status = "open"      // started, not ended yet
	StatusOK        Status = "ok"        // ended successfully
	StatusError     Status = "error"     // ended with an error
	StatusCancelled Status = "cancelled" // stopped from outside
	StatusRejected  Status = "rejected"  // a tool call whose approval was refused
	StatusWaiting   Status = "waiting"   // waits for an approval or for a client
	StatusUnclosed  Status = "unclosed"  // its run or its stream ended before it did
)

// Ended reports whether the status is a final one.
func (s Status) Ended() bool { return s != "" && s != StatusOpen && s != StatusWaiting }

// Span is an activity with a start and an end.
type Span struct {
	Fact
	Kind   SpanKind
	Parent string // the ID of the span it belongs to
	Name   string // the tool, the node, the agent, the model
	Status Status
	// Started and Ended are arrival times, ns. A stream that recorded only the end has
	// Started 0: readers combine the streams' records, with the earliest start and the
	// latest end, of a tool call the earliest: its result may be repeated with every later
	// request.
	Started int64
	Ended   int64
	// FirstToken is the arrival of the first output, ns; the end of an LLM call's "time to
	// first token".
	FirstToken int64
	// Duration is the duration that the source measured, ns; 0 if it reports none.
	Duration int64
	CallID   string // of a tool call, as the frames name it
	Model    string
	Provider string
	Error    string // what went wrong, in the source's words
	// Attributes is a JSON object of further values from the source, or "".
	Attributes string
}

// StartOutput is the attribute of a call of a model that is true where its usage has the output of
// its start only, so that more was said than counted.
const StartOutput = "start_output"

// Inseparable is the attribute of a run that is true where frames of it may belong to
// another run of its stream: several were in progress, and the frames do not name theirs.
const Inseparable = "inseparable"

// MessageKind is the kind of a message.
type MessageKind string

const (
	MessageSystem    MessageKind = "system"
	MessageUser      MessageKind = "user"
	MessageAssistant MessageKind = "assistant"
	MessageThinking  MessageKind = "thinking"
	MessageArguments MessageKind = "tool_arguments"
	MessageOutput    MessageKind = "tool_output" // what a tool printed while it ran
	MessageResult    MessageKind = "tool_result"
	MessageReply     MessageKind = "reply" // the whole reply, repeated at the end of a run
	MessageError     MessageKind = "error"
)

// Message is a text that is assembled from the chunks of one or many frames.
type Message struct {
	Fact
	Kind MessageKind
	Span string // the ID of the span that produced it: an LLM call, a tool call
	Name string // of the tool, for tool messages
	Text string
	// Media is the type of Text: "text", "json", or a media type.
	Media    string
	Complete bool  // it is whole: nothing more will be appended, and it was not cut off
	Started  int64 // arrival of its first chunk, ns
	Ended    int64 // arrival of its last chunk so far, ns
	// Chunks record how the text grew: after the frame at ChunkAt[i] the text was
	// ChunkEnd[i] bytes long. They are empty if it arrived in one piece at Started.
	ChunkAt  []int64
	ChunkEnd []uint32
	// Attributes is a JSON object of further values from the source (citations, images), or
	// "".
	Attributes string
}

// UsageMode determines how usage records of one scope are combined.
type UsageMode string

const (
	// UsageAdd: the record is one scope's whole usage; scopes are summed. A repeated scope
	// replaces itself.
	UsageAdd UsageMode = "add"
	// UsageRunning: the record is a running total of its Scope; a record adds the
	// difference to the previous one in that scope, also across the streams of the session.
	UsageRunning UsageMode = "running"
)

// Tokens counts tokens in disjoint buckets: their sum is the total.
type Tokens struct {
	Input        uint64 // not from a cache, and not written to one
	CacheRead    uint64
	CacheWrite5m uint64
	CacheWrite1h uint64
	Output       uint64 // without reasoning
	Reasoning    uint64
}

// Sum returns the total of all tokens.
func (t Tokens) Sum() uint64 {
	return t.Input + t.CacheRead + t.CacheWrite5m + t.CacheWrite1h + t.Output + t.Reasoning
}

// RestScope is the prefix of the Scope of a usage without a call of its own: the share of a
// source's total beyond the calls that it reported. Its tokens count, and reports do not
// count it among the calls.
const RestScope = "rest:"

// Usage is the token count of one scope. Version - 1 is the number of the frame in its stream
// that stated it last, and At is that frame's arrival.
type Usage struct {
	Fact
	Billing
	Scope    string // what is counted: a call, a response, a message, a run, a thread
	Mode     UsageMode
	At       int64 // arrival of the frame that reported it last, ns
	Span     string
	Model    string // the one that served it
	Provider string
	Tokens   Tokens
	// Total is the sum that the source reports, 0 if it reports none; a difference to
	// Tokens.Sum is a discrepancy that readers show.
	Total uint64
	Raw   string // the source's own usage JSON, unchanged
}
