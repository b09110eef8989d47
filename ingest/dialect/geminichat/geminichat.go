// Package geminichat reads the files in which the Gemini CLI keeps its conversations,
// ~/.gemini/tmp/*/chats/session-*.json and .jsonl. docs/dialects/gemini-cli-chat.md describes how
// it reads them.
package geminichat

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is a conversation file of the Gemini CLI.
var Dialect = dialect.Dialect{Name: "gemini-cli-chat", Match: match, Time: timeOf, New: newDecoder}

const provider = "google"

// match judges one line or a whole file.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if !dialect.IsObject(in.JSON) || in.Direction == schema.Send {
		return dialect.No, ""
	}
	v := in.JSON
	switch {
	case isHead(v) && (dialect.TextTime(v.GetStringBytes("startTime")) != 0 || dialect.IsArray(v.Get("messages"))):
		return dialect.Certain, "a conversation with sessionId and projectHash"
	case string(v.GetStringBytes("type")) == "gemini" && v.GetStringBytes("id") != nil && timeOf(in) != 0:
		return dialect.Certain, "a message of gemini's"
	case dialect.TextTime(v.GetStringBytes("$set", "lastUpdated")) != 0:
		return dialect.Likely, "a $set of lastUpdated"
	}
	return dialect.No, ""
}

// isHead reports whether a line begins a conversation.
func isHead(v *fastjson.Value) bool {
	return v.GetStringBytes("sessionId") != nil && v.GetStringBytes("projectHash") != nil
}

// timeOf reads the time of a line. Facts of a file that is one object have the time of its
// beginning.
func timeOf(in *dialect.Input) int64 {
	if !dialect.IsObject(in.JSON) {
		return 0
	}
	return dialect.TextTime(dialect.FirstText(in.JSON, "timestamp", "startTime"))
}

// decoder reads one stream, which may have several files.
type decoder struct {
	model.Stream
	tr       model.Conversation
	session  dialect.Last
	model    dialect.Last
	messages []*message // the latest last
	waiting  bool       // the user's message or the results of tools have no answer yet
	asked    int64      // when the next call of the model began, ns; 0 while that is not known
	last     int64      // the time of the run's latest message, ns
	failure  []byte     // an error with no output of the model after it
}

// messagesKept bounds the messages that later lines may extend.
const messagesKept = 64

// message is a message, which may be written again with more content.
type message struct {
	id    string
	said  int // number of thoughts that were read
	text  *dialect.Message
	call  *dialect.Span
	usage *dialect.Usage
	ended int64 // the call, ns
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.begin("")
	return d
}

func (d *decoder) begin(id string) {
	d.tr = model.Conversation{Stream: &d.Stream, Session: id, Provider: provider, LocalTools: true, Whole: true}
	d.messages, d.waiting, d.asked, d.failure = nil, false, 0, nil
}

// Decode reads one line, or a whole file.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if !dialect.IsObject(in.JSON) || in.Direction == schema.Send {
		return
	}
	d.BeginLine(in, b, timeOf(in) != 0 && !isHead(in.JSON)) // a head may be written anew
	v := in.JSON
	switch set := v.Get("$set"); {
	case isHead(v):
		in.Type = "conversation"
		if id := v.GetStringBytes("sessionId"); d.tr.Session != string(id) {
			d.endRun()
			d.begin(d.session.Own(id))
		}
		d.Untimed = dialect.IsArray(v.Get("messages"))
		d.all(v, in.Data)
		d.Untimed = false
	case set != nil:
		in.Type = "$set"
		d.all(set, dialect.RawMember(in.Data, "$set"))
	case v.Exists("$rewindTo"):
		in.Type = "$rewindTo"
	case v.GetStringBytes("id") != nil && v.GetStringBytes("type") != nil:
		in.Type = dialect.Intern(v.GetStringBytes("type"))
		d.message(v, in.Data)
	default:
		d.Unknown()
	}
	d.tr.Address()
	d.Done()
}

// all reads the messages of an object.
func (d *decoder) all(v *fastjson.Value, raw []byte) {
	dialect.Elements(v.GetArray("messages"), dialect.RawMember(raw, "messages"), 0, func(i int, v *fastjson.Value, raw []byte) {
		if i > 0 {
			d.Part("/" + strconv.Itoa(i))
		}
		d.message(v, raw)
	})
	d.Part("")
}

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.endRun()
	d.Done()
}
