package schema

// A fact is derived by a dialect from the frames of one stream: a Span, a Message or a
// Usage. Facts are keyed and last-wins: a fact that is emitted again, later or twice,
// replaces itself, so that repeating any part of a stream is idempotent.

// Fact holds the common fields of all facts.
type Fact struct {
	// ID is the key within the session. Two streams that use the same ID refer to the same thing,
	// so an ID is either globally unique (such as that of a tool call) or includes the stream's id.
	ID string
	// Session is the conversation that the frames name, "" if they name none. The recorder decides
	// in which session the fact is stored.
	Session string
	Run     string // the run's id in the frames
	Node    string // the node run's id
	Agent   string
	// SeenAt and SeenSeq identify the first frame in this stream that mentioned the fact. They
	// never change and are part of the key.
	SeenAt  int64
	SeenSeq uint64
	// Version is the Seq of the last frame that changed the fact, plus one. Of two records with the
	// same key the one with the higher version counts.
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
	StatusUnclosed  Status = "unclosed"  // its run or its stream ended before the span
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
	// Started and Ended are arrival times, ns. A stream that recorded only the end has Started 0.
	// Readers merge the records of the streams: the span has the earliest start and the latest end;
	// a tool call has the earliest end, since its result may be repeated in every later request.
	Started int64
	Ended   int64
	// FirstToken is the arrival of the first output, ns: the end of the "time to first token" of an
	// LLM call.
	FirstToken int64
	// Duration is the duration measured by the source, ns; 0 if it reports none.
	Duration int64
	CallID   string // the id of a tool call in the frames
	Model    string
	Provider string
	Error    string // the source's error text
	// Attributes is a JSON object of further values from the source, or "".
	Attributes string
}

// TraceSpanPrefix begins the ids of facts of spans of OpenTelemetry. A parent with such an id may be in
// another stream, or have another id there: that of its call of a tool.
const TraceSpanPrefix = "otel:"

// TraceSpan returns the id of the fact of a span of OpenTelemetry by its trace id and span id, in hexadecimal.
func TraceSpan(trace, span string) string { return TraceSpanPrefix + trace + ":" + span }

// StartOutput is an attribute of a model call. It is true if the call's usage has only the output
// count of the message's start, so that the model produced more output than is counted.
const StartOutput = "start_output"

// Inseparable is an attribute of a run. It is true if frames of the run may belong to another run
// of its stream, since several runs were in progress and the frames do not name theirs.
const Inseparable = "inseparable"

// MessageKind is the kind of a message.
type MessageKind string

const (
	MessageSystem    MessageKind = "system"
	MessageUser      MessageKind = "user"
	MessageAssistant MessageKind = "assistant"
	MessageThinking  MessageKind = "thinking"
	MessageArguments MessageKind = "tool_arguments"
	MessageOutput    MessageKind = "tool_output" // output of a tool while it ran
	MessageResult    MessageKind = "tool_result"
	MessageReply     MessageKind = "reply" // the whole reply, repeated at the end of a run
	MessageError     MessageKind = "error"
)

// Message is a text that is assembled from the chunks of one or more frames.
type Message struct {
	Fact
	Kind MessageKind
	Span string // the ID of the span that produced the message: an LLM call, a tool call
	Name string // name of the tool, for tool messages
	Text string
	// Media is the type of Text: "text", "json", or a media type.
	Media    string
	Complete bool  // nothing more will be appended, and the text was not cut off
	Started  int64 // arrival of its first chunk, ns
	Ended    int64 // arrival of its last chunk so far, ns
	// ChunkAt and ChunkEnd record how the text grew: after the frame at ChunkAt[i] the text was
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
	// UsageAdd: the record is the whole usage of one scope; scopes are summed. A later record of
	// the same scope replaces the earlier one.
	UsageAdd UsageMode = "add"
	// UsageRunning: the record is a running total of its Scope. It adds the difference to the
	// previous record of that scope, across the streams of the session.
	UsageRunning UsageMode = "running"
)

// Tokens counts tokens in disjoint buckets: their sum is the total.
type Tokens struct {
	Input        uint64 // neither read from a cache nor written to it
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

// RestScope is the prefix of the Scope of a usage that is not a call: the part of a source's total
// beyond the reported calls. Sums include its tokens, but it does not count as a call.
const RestScope = "rest:"

// Usage is the token count of one scope. Version - 1 is the number of the frame in its stream that
// stated it last, and At is the arrival of that frame.
type Usage struct {
	Fact
	Billing
	Scope    string // what is counted: a call, a response, a message, a run, a thread
	Mode     UsageMode
	At       int64 // arrival of the last frame that reported it, ns
	Span     string
	Model    string // the model that served the call
	Provider string
	Tokens   Tokens
	// Total is the sum that the source reports, 0 if it reports none. If it differs from
	// Tokens.Sum, readers show a discrepancy.
	Total uint64
	Raw   string // the source's own usage JSON, unchanged
}
