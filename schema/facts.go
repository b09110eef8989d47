package schema

// A fact is what a dialect concludes from the frames of one stream: a Span, a
// Message or a Usage. Facts are keyed and last-wins: the same fact told again,
// later or twice, replaces itself, so that repeating any part of a stream
// changes nothing.

// Fact is what all facts have in common.
type Fact struct {
	// ID is the key within the session. Two streams that name the same ID
	// speak of the same thing, so an id is either global in its nature (a tool
	// call's) or made with the stream's id.
	ID string
	// Session is the conversation that the frames named, "" where they named
	// none; the recorder settles where the fact is stored.
	Session string
	Run     string // the run's id, as the frames name it
	Node    string // the node run's id
	Agent   string
	// SeenAt and SeenSeq are the frame that first spoke of it in this stream;
	// they never change and are a part of the key.
	SeenAt  int64
	SeenSeq uint64
	// Version is the Seq of the last frame that changed it, plus one. Of two
	// records with the same key the one with the higher version stands.
	Version uint64
}

// SpanKind is what a span is of.
type SpanKind string

const (
	SpanRun  SpanKind = "run"  // a user message to its reply
	SpanNode SpanKind = "node" // one node's (or step's, or sub-agent's) part in a run
	SpanLLM  SpanKind = "llm"  // one call of a model
	SpanTool SpanKind = "tool" // one tool call
)

// Status is how a span stands.
type Status string

const (
	StatusOpen      Status = "open"      // started, not ended so far
	StatusOK        Status = "ok"        // ended well
	StatusError     Status = "error"     // ended in an error
	StatusCancelled Status = "cancelled" // stopped from outside
	StatusRejected  Status = "rejected"  // a tool call whose approval was refused
	StatusWaiting   Status = "waiting"   // waits for an approval or for a client
	StatusUnclosed  Status = "unclosed"  // its run or its stream ended and it did not
)

// Ended reports whether the status is a final one.
func (s Status) Ended() bool { return s != "" && s != StatusOpen && s != StatusWaiting }

// Span is something with a start and an end.
type Span struct {
	Fact
	Kind   SpanKind
	Parent string // the ID of the span it belongs to
	Name   string // the tool, the node, the agent, the model
	Status Status
	// Started and Ended are arrival times, ns. A stream that only saw the end
	// leaves Started 0: readers put the streams' views together, with the
	// earliest start and the latest end, of a tool call the earliest: its result
	// may be told again with every later request.
	Started int64
	Ended   int64
	// FirstToken is when the first output arrived, ns; of an LLM call the end
	// of "time to first token".
	FirstToken int64
	// Duration is what the source itself measured, ns; 0 where it says nothing.
	Duration int64
	CallID   string // of a tool call, as the frames name it
	Model    string
	Provider string
	Error    string // what went wrong, in the source's words
	// Attributes is a JSON object of what else the source tells, or "".
	Attributes string
}

// MessageKind is what a message is.
type MessageKind string

const (
	MessageSystem    MessageKind = "system"
	MessageUser      MessageKind = "user"
	MessageAssistant MessageKind = "assistant"
	MessageThinking  MessageKind = "thinking"
	MessageArguments MessageKind = "tool_arguments"
	MessageOutput    MessageKind = "tool_output" // what a tool printed while it ran
	MessageResult    MessageKind = "tool_result"
	MessageReply     MessageKind = "reply" // the whole answer, told once more at the end of a run
	MessageError     MessageKind = "error"
)

// Message is text put together from the chunks of one or many frames.
type Message struct {
	Fact
	Kind MessageKind
	Span string // the ID of the span that produced it: an LLM call, a tool call
	Name string // of the tool, for tool messages
	Text string
	// Media is what Text is: "text", "json", or a media type.
	Media    string
	Complete bool  // no more will be added
	Started  int64 // arrival of its first chunk, ns
	Ended    int64 // arrival of its last chunk so far, ns
	// Chunks tell how the text grew: after the frame at ChunkAt[i] the text
	// was ChunkEnd[i] bytes long. Empty where it came in one piece at Started.
	ChunkAt  []int64
	ChunkEnd []uint32
	// Attributes is a JSON object of what else the source tells (citations,
	// images), or "".
	Attributes string
}

// UsageMode says how usage records of one scope are put together.
type UsageMode string

const (
	// UsageAdd: the record is one scope's whole usage; scopes are added up.
	// A scope told again replaces itself.
	UsageAdd UsageMode = "add"
	// UsageRunning: the record is a running total of its Scope; what a record
	// adds is the difference to the one before it in that scope, also across
	// the streams of the session.
	UsageRunning UsageMode = "running"
)

// Tokens counts tokens in disjoint buckets: their sum is all tokens used.
type Tokens struct {
	Input        uint64 // not from a cache, and not written to one
	CacheRead    uint64
	CacheWrite5m uint64
	CacheWrite1h uint64
	Output       uint64 // without reasoning
	Reasoning    uint64
}

// Sum is all tokens.
func (t Tokens) Sum() uint64 {
	return t.Input + t.CacheRead + t.CacheWrite5m + t.CacheWrite1h + t.Output + t.Reasoning
}

// RestScope begins the Scope of a usage that is no call of its own: what a
// source's total holds beyond the calls that it told of. Its tokens count, and
// reports do not count it among the calls.
const RestScope = "rest:"

// Usage is the token count of one scope.
type Usage struct {
	Fact
	Scope    string // what the count is of: a call, a response, a message, a run, a thread
	Mode     UsageMode
	At       int64 // arrival of the frame that told it last, ns
	Span     string
	Model    string
	Provider string
	Tokens   Tokens
	// Total is the sum that the source itself states, 0 where it states none;
	// a difference to Tokens.Sum is a discrepancy that readers show.
	Total uint64
	Raw   string // the source's own usage JSON, untouched
}
