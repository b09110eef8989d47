package gemini

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// enum has the names of an enum's values by their numbers, which clients that ask for
// enum-encoding=int receive in place of the names. "" means no value.
type enum []string

// finishReasons has the finish reasons whose numbers are the same in the Gemini API and in Vertex
// AI. The numbers above differ between the two, but all are refusals.
var finishReasons = enum{"", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"}

// lastRefusal is the greatest number of a finish reason that is a refusal, in either API.
const lastRefusal = 18

var blockReasons = enum{"", "SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY"}

var outcomes = enum{"", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"}

var toolTypes = enum{"", "GOOGLE_SEARCH_WEB", "GOOGLE_SEARCH_IMAGE", "URL_CONTEXT", "GOOGLE_MAPS", "FILE_SEARCH"}

// unspecified is the value of a finish reason that was not set. Encoders that write defaults send
// it with every chunk.
const unspecified = "FINISH_REASON_UNSPECIFIED"

// name returns the name of a value, which is a string or a number. A number without a name is its
// own name. It returns "" for no value.
func (e enum) name(v *fastjson.Value) string {
	if !dialect.IsNumber(v) {
		if text := v.GetStringBytes(); string(text) != unspecified {
			return dialect.Intern(text)
		}
		return ""
	}
	n := v.GetInt()
	if n < 0 || n >= len(e) {
		return strconv.Itoa(n)
	}
	return e[n]
}

// isRefusal reports whether a finish reason states that there is no complete answer.
func isRefusal(reason string) bool {
	n, err := strconv.Atoi(reason)
	return refused[reason] || err == nil && n >= len(finishReasons) && n <= lastRefusal
}
