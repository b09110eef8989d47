package otlphttp

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"tapedeck/internal/otlpwire"
	"tapedeck/internal/problem"
)

// answerer encodes responses as the request was encoded.
type answerer struct {
	json   bool
	signal otlpwire.Signal
}

// accept writes an Export…ServiceResponse. Its partial success is set if something was rejected.
func (a answerer) accept(w http.ResponseWriter, rejected rejections) {
	if a.json {
		var whole struct {
			PartialSuccess map[string]string `json:"partialSuccess,omitempty"`
		}
		if rejected.count > 0 {
			name := "rejectedSpans"
			if a.signal == otlpwire.Logs {
				name = "rejectedLogRecords"
			}
			whole.PartialSuccess = map[string]string{name: strconv.Itoa(rejected.count), "errorMessage": rejected.why}
		}
		text, _ := json.Marshal(whole) // texts never fail
		a.write(w, http.StatusOK, text)
		return
	}
	a.write(w, http.StatusOK, response(rejected))
}

// response returns an Export…ServiceResponse in binary Protobuf. That of logs has the same fields.
func response(rejected rejections) []byte {
	if rejected.count == 0 {
		return nil
	}
	var partial []byte
	partial = protowire.AppendVarint(protowire.AppendTag(partial, 1, protowire.VarintType), uint64(rejected.count))
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), rejected.why)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

// refuse writes a google.rpc.Status with the text of a problem.
func (a answerer) refuse(w http.ResponseWriter, p *problem.Problem) {
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	text := strings.TrimSpace(p.Detail + " " + p.Hint)
	if a.json {
		message, _ := json.Marshal(map[string]string{"message": text}) // texts never fail
		a.write(w, p.Status, message)
		return
	}
	a.write(w, p.Status, protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), text))
}

func (a answerer) write(w http.ResponseWriter, status int, message []byte) {
	media := binaryType
	if a.json {
		media = jsonType
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A write error means that the client has disconnected, so there is no client to report it to.
	_, _ = w.Write(message)
}
