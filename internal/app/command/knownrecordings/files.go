package knownrecordings

import (
	"cmp"
	"errors"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/ingest/tap/file"
)

// FileResult is the result of recording one of several files.
type FileResult struct {
	File string `json:"file"`
	*ingest.Summary
	Known string `json:"known,omitempty"` // the session or the file that has the same bytes
	Error string `json:"error,omitempty"`
}

// FilesResult is the result of recording several files.
type FilesResult struct {
	Files    int    `json:"files"`
	Recorded int    `json:"recorded"`
	Empty    int    `json:"empty"` // files without frames, of which nothing was recorded
	Known    int    `json:"known"`
	Failed   int    `json:"failed"`
	Left     int    `json:"left"` // files not begun because of an interrupt
	Frames   uint64 `json:"frames"`
	Bytes    uint64 `json:"bytes"`

	Waiting *Waiting `json:"unreadable"`      // the part that cannot be read yet
	Error   string   `json:"error,omitempty"` // why the recorded data is not on the server

	Same    int    `json:"-"` // files of Known that have the same bytes as another of the files
	KnownIn string `json:"-"` // the session that has the remaining files of Known; the first one if there are several
	Several bool   `json:"-"` // KnownIn is one of several sessions
	Streams int    `json:"-"` // files of which frames were recorded
}

// Add counts a file and returns its result. s is the summary of its recording.
func (t *FilesResult) Add(path string, s *ingest.Summary, err error) FileResult {
	result := FileResult{File: path, Summary: s}
	known, isKnown := errors.AsType[*KnownError](err)
	same, isSame := errors.AsType[*file.SameBytesError](err)
	t.Frames += s.Frames
	t.Bytes += s.Bytes
	if s.Frames > 0 {
		t.Streams++
	}
	stored, isStored := errors.AsType[*agenthistory.StoredError](err)
	switch {
	case isStored:
		t.Known++
		t.Several = t.Several || t.KnownIn != "" && t.KnownIn != stored.Session
		t.KnownIn = cmp.Or(t.KnownIn, stored.Session)
		result.Summary, result.Known = nil, stored.Session
	case isKnown:
		t.Known++
		t.Several = t.Several || t.KnownIn != "" && t.KnownIn != known.Stored.SessionID
		t.KnownIn = cmp.Or(t.KnownIn, known.Stored.SessionID)
		result.Summary, result.Known = nil, known.Stored.SessionID
	case isSame:
		t.Known++
		t.Same++
		result.Summary, result.Known = nil, same.First
	case err != nil:
		t.Failed++
		result.Error = err.Error()
		if s.StreamID == "" {
			result.Summary = nil
		}
	case s.Frames == 0:
		t.Empty++
	default:
		t.Recorded++
	}
	return result
}
