package main

import (
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/usage"
	"tapedeck/internal/wellformed"
)

// limitFlags bound what one client sends to a server.
type limitFlags struct {
	MaxBodyBytes    uint64 `help:"Most bytes of one body, its encoding undone." default:"274877906944" placeholder:"N"`
	MaxBodyFrames   uint64 `help:"Most frames of one body." default:"1000000000" placeholder:"N"`
	MaxBodySessions int    `help:"Most sessions that the frames of one body name." default:"100000" placeholder:"N"`
	MaxBodyRatio    int    `help:"Most decoded bytes of a body for each byte sent, from 64 MiB on." default:"200" placeholder:"N"`
	MaxTags         int    `help:"Most tags of a stream." default:"64" placeholder:"N"`
	MaxTagBytes     int    `help:"Most bytes of a tag's name and value." default:"1024" placeholder:"N"`
	MaxFrameBytes   int    `help:"Most bytes of a frame; a longer one is recorded in pieces." default:"16777216" placeholder:"N"`
	MaxJSONDepth    int    `help:"Most levels of JSON in a frame that are decoded; a deeper frame is recorded and not decoded. 300 at most." name:"max-json-depth" default:"300" env:"TAPEDECK_MAX_JSON_DEPTH" placeholder:"N"`
}

// check refuses limits that would refuse all data.
func (f *limitFlags) check() error {
	for _, l := range []struct {
		name string
		ok   bool
		n    any
	}{
		{"--max-body-bytes", f.MaxBodyBytes > 0, f.MaxBodyBytes}, {"--max-body-frames", f.MaxBodyFrames > 0, f.MaxBodyFrames},
		{"--max-body-sessions", f.MaxBodySessions > 0, f.MaxBodySessions}, {"--max-body-ratio", f.MaxBodyRatio > 0, f.MaxBodyRatio},
		{"--max-tags", f.MaxTags > 0, f.MaxTags}, {"--max-tag-bytes", f.MaxTagBytes > 0, f.MaxTagBytes},
		{"--max-frame-bytes", f.MaxFrameBytes > 0, f.MaxFrameBytes},
	} {
		if !l.ok {
			return usage.Errorf("%s=%d: it must be above 0", l.name, l.n)
		}
	}
	if f.MaxJSONDepth < 1 || f.MaxJSONDepth > wellformed.MaxDepth {
		return usage.Errorf("--max-json-depth=%d: it must be 1 to %d", f.MaxJSONDepth, wellformed.MaxDepth)
	}
	return nil
}

// checkQuietAfter refuses a time after which every open session would be quiet.
func checkQuietAfter(d time.Duration) error {
	if d <= 0 {
		return usage.Errorf("--quiet-after=%v: it must be above 0, like 30s", d)
	}
	return nil
}

func (f limitFlags) limits() ingest.Limits {
	return ingest.Limits{
		Bytes: f.MaxBodyBytes, Frames: f.MaxBodyFrames, Sessions: f.MaxBodySessions, Ratio: f.MaxBodyRatio,
		Tags: f.MaxTags, TagBytes: f.MaxTagBytes, Frame: f.MaxFrameBytes, JSONDepth: f.MaxJSONDepth,
	}
}

// profileFlags are those of commands that serve profiles.
type profileFlags struct {
	Pprof bool `help:"Serve profiles of this process under /debug/pprof/."`
}
