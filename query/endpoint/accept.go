package endpoint

import (
	"cmp"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// WantsEvents reports whether a GET request prefers server-sent events to other answers: of media types with one weight
// the first one decides.
func WantsEvents(r *http.Request) bool {
	best, events := 0.0, false
	for item := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, attrs, err := mime.ParseMediaType(strings.TrimSpace(item))
		if err != nil {
			continue
		}
		weight, err := strconv.ParseFloat(cmp.Or(attrs["q"], "1"), 64)
		if err == nil && weight > best {
			best, events = weight, media == "text/event-stream"
		}
	}
	return events && r.Method == http.MethodGet
}
