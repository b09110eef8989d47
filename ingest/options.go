package ingest

import (
	"crypto/rand"
	"time"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// Settings bound what a Recorder buffers and for how long. The zero value of a field means its
// default.
type Settings struct {
	BlockFrames int           // frames in one block at most; default 4096
	BlockBytes  int           // raw bytes in one block at which it is cut; default 128 KiB
	BlockAge    time.Duration // the longest time that a frame waits for its block to fill; default 5 ms
	// DetectFrames, DetectBytes and DetectFor bound the frames that are buffered until the stream's
	// dialect and session are known.
	DetectFrames int           // default 256
	DetectBytes  int           // default 256 KiB
	DetectFor    time.Duration // default 300 ms
	// Segments bounds how many sessions of one stream are open at a time; default 256. Beyond it
	// the least recently used segment is closed. A frame that names its session later opens another
	// segment.
	Segments int
	// JSONDepth is the number of levels of JSON that are parsed; the default and the maximum are
	// wellformed.MaxDepth. A frame that is nested deeper is recorded and marked FlagTooDeep.
	JSONDepth int
	// ID names the recording process in the streams that it records; default a random id.
	ID string
	// Redact finds the secrets that are masked before recording; default
	// redact.Default(). redact.Off masks nothing. SetRedact changes it.
	Redact *redact.Engine
	// Masked, if set, is called for each secret that is masked, with its frame.
	Masked func(*schema.Frame, redact.Found)
}

// NewRecorderID returns an id for a recording process.
func NewRecorderID() string { return rand.Text()[:16] }

func (s Settings) withDefaults() Settings {
	setDefault(&s.BlockFrames, 4096)
	setDefault(&s.BlockBytes, 128<<10)
	setDefault(&s.BlockAge, 5*time.Millisecond)
	setDefault(&s.DetectFrames, 256)
	setDefault(&s.DetectBytes, 256<<10)
	setDefault(&s.DetectFor, 300*time.Millisecond)
	setDefault(&s.Segments, 256)
	if s.ID == "" {
		s.ID = NewRecorderID()
	}
	if s.Redact == nil {
		s.Redact = redact.Default()
	}
	return s
}

func setDefault[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}

// StreamOptions describe a stream.
type StreamOptions struct {
	Tenant string // "default" if empty
	// Session puts every frame of the stream into that session. If it is empty, the sessions that
	// frames name are used, and otherwise the stream's id is the session.
	Session   string
	Dialect   string // name of the dialect; recognised from the frames if empty
	Evidence  string // why it is Dialect; NamedByUser if empty
	Transport schema.Transport
	Source    string // where the stream is tapped, for display
	Tags      map[string]string
	// Title is the title of sessions in which neither the user nor the agent says anything, such as
	// the name of a file.
	Title string
	// Key is the idempotency key under which the stream was opened, "" for none.
	// The summary of a stream with a key counts the known frames as well.
	Key string
	// Publisher, if set, publishes the stream's blocks instead of the recorder's publisher.
	Publisher Publisher
	// FrameClock takes arrival times from the content of the frames, if their dialect has times. It
	// is for files that were recorded elsewhere.
	FrameClock bool
	// IfTimed limits FrameClock to streams that state a time in the frames of the detection window
	// (Settings.DetectFrames …): frames of other streams keep their arrival times.
	IfTimed bool
	// Digest enables the SHA-256 of all frames' bytes, which is stored with the
	// stream once it ends with "eof". It is for files and bodies: the same bytes are
	// the same recording.
	Digest bool
	// Resume continues an earlier stream, after a tap was restarted.
	Resume *Resume
	// Passed, if set, is called with every frame, in order, after it was masked and decoded and before
	// its block is published. That is later than Record while the frame is held back: it may contain
	// the beginning of a secret, or the dialect is not detected yet. It is called from any goroutine,
	// one call at a time, and must not call the stream.
	Passed func(f *schema.Frame)
	// Durable, if set, is called each time more frames are durable: all frames with a seq below
	// next are. It is called from other goroutines, one call at a time, and must not call the
	// stream.
	Durable func(next uint64)
}

// Clock returns "frame" for streams with a FrameClock, "" for others.
func (o *StreamOptions) Clock() string {
	if o.FrameClock {
		return "frame"
	}
	return ""
}

// Resume names the stream that a tap continues.
type Resume struct {
	StreamID string
	NextSeq  uint64 // seq of the first frame that will be recorded
	Settled         // what the stream had settled before
	// Again reports that the tap can read the stream from its first frame on. It records the whole
	// stream again, with the original times. Frames below NextSeq are known and not published; the
	// decoder reads them, so that its state equals that of an uninterrupted recording.
	Again bool
	// Attempt counts how often the stream was resumed under its key. The state of a later attempt
	// replaces the states of earlier ones, including an end.
	Attempt uint64
}

// Settled holds the properties that a stream detects from its first frames.
type Settled struct {
	Session string `json:"session"` // session of frames that name none; "" while no frame has named one
	Dialect string `json:"dialect"` // "" while it is not known
}
