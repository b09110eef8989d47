package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
)

// Recorded is a session in memory, as it is read from a tape.
type Recorded struct {
	Streams  *sessionstreams.Row
	Spans    []spanmerge.Span // as spanmerge.OfFacts returns them
	Messages []messagemerge.Message
	Usage    []usagerecord.Record
	Requests []Request // the first ones, in order
}

// Request is a recorded frame of the type "request".
type Request struct {
	Stream string
	Seq    uint64
	Raw    []byte
}

// MostRequests is the number of requests of a session that are compared.
const MostRequests = requestsMost

// Between compares two sessions in memory as Read compares two sessions of the database.
func Between(a, b *Recorded, q Query) (*Comparison, error) {
	return between(a.facts(), b.facts(), &q, query.DefaultQuietAfter, time.Now().UnixNano())
}

func (r *Recorded) facts() *facts {
	f := &facts{streams: r.Streams, spans: slices.Clone(r.Spans), usage: usagerecord.SpendingIn(r.Usage)}
	for i := range r.Messages {
		f.messages = append(f.messages, rowOf(&r.Messages[i]))
	}
	for i := range r.Requests[:min(len(r.Requests), requestsMost)] {
		f.requests = append(f.requests, r.Requests[i].row())
	}
	return f
}

// rowOf returns the row that sql/messages.sql returns for a message.
func rowOf(m *messagemerge.Message) messageRow {
	row := messageRow{
		ID: m.ID, Stream: m.Stream, SeenSeq: m.SeenSeq, Seen: m.SeenAt, Kind: string(m.Kind), Span: m.Span, Name: m.Name,
		Node: m.Node, Run: m.Run, Agent: m.Agent, Media: m.Media, Head: m.Text, Size: uint64(len(m.Text)),
		Started: m.Started, Ended: m.Ended,
	}
	if len(m.Text) > textBytes {
		sum := sha256.Sum256([]byte(m.Text))
		row.Head, row.Digest = strings.ToValidUTF8(m.Text[:textBytes], ""), hex.EncodeToString(sum[:])
	}
	return row
}

var (
	// notParameters are the members of a request that are compared as steps, or not at all.
	notParameters = []string{"messages", "contents", "input", "prompt", "metadata", "user", "tools", "stream", "stream_options"}
	plainValue    = regexp.MustCompile(`^(-?[0-9.eE+-]{1,24}|true|false|null|"[A-Za-z0-9_.:/-]{1,64}")$`)
)

// row returns the row that sql/requests.sql returns for a request. Its digests are other ones: they are
// only compared with those of other rows of this function.
func (r *Request) row() requestRow {
	row := requestRow{Stream: r.Stream, Seq: r.Seq}
	var members map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &members) != nil {
		return row // as ClickHouse returns no members of other texts
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(notParameters, name) {
			continue
		}
		value, plain := string(members[name]), ""
		if plainValue.MatchString(value) {
			plain = value
		}
		row.Names, row.Plain, row.Digests = append(row.Names, name), append(row.Plain, plain), append(row.Digests, digest(value))
	}
	var tools []json.RawMessage
	if json.Unmarshal(members["tools"], &tools) != nil {
		return row
	}
	for _, text := range tools {
		var tool struct {
			Name     string `json:"name"`
			Type     string `json:"type"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		_ = json.Unmarshal(text, &tool) // members of other types stay empty
		name := tool.Name
		if name == "" {
			name = tool.Function.Name
		}
		if name == "" {
			name = tool.Type
		}
		row.ToolNames, row.ToolDigests = append(row.ToolNames, name), append(row.ToolDigests, digest(string(text)))
	}
	return row
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
