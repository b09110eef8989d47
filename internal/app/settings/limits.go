package settings

import "tapedeck/ingest"

// IngestLimits bound what one client sends to a server.
type IngestLimits struct {
	MaxBodyBytes    Size   `help:"Most bytes of one body, its encoding undone." default:"256GiB" min:">0" env:"TAPEDECK_MAX_BODY_BYTES" placeholder:"SIZE"`
	MaxBodyFrames   uint64 `help:"Most frames of one body." default:"1000000000" min:">0" unit:"frames" env:"TAPEDECK_MAX_BODY_FRAMES" placeholder:"N"`
	MaxBodySessions int    `help:"Most sessions that the frames of one body name." default:"100000" min:">0" unit:"sessions" env:"TAPEDECK_MAX_BODY_SESSIONS" placeholder:"N"`
	MaxBodyRatio    int    `help:"Most decoded bytes of a body for each byte sent, from 64 MiB on." default:"200" min:">0" unit:"ratio" env:"TAPEDECK_MAX_BODY_RATIO" placeholder:"N"`
	MaxTags         int    `help:"Most tags of a stream." default:"64" min:">0" unit:"tags" env:"TAPEDECK_MAX_TAGS" placeholder:"N"`
	MaxTagBytes     Size   `help:"Most bytes of a tag's name and value." default:"1KiB" min:">0" max:"16MiB" env:"TAPEDECK_MAX_TAG_BYTES" placeholder:"SIZE"`
	MaxFrameBytes   Size   `help:"Most bytes of a frame; a longer one is recorded in pieces." default:"16MiB" min:">0" max:"1GiB" env:"TAPEDECK_MAX_FRAME_BYTES" placeholder:"SIZE"`
	MaxJSONDepth    int    `help:"Most levels of JSON in a frame that are decoded; a deeper frame is recorded and not decoded. 300 at most." name:"max-json-depth" default:"300" min:"1" max:"300" unit:"levels" env:"TAPEDECK_MAX_JSON_DEPTH" placeholder:"N"`
}

// Limits returns the limits.
func (f IngestLimits) Limits() ingest.Limits {
	return ingest.Limits{
		Bytes: uint64(f.MaxBodyBytes), Frames: f.MaxBodyFrames, Sessions: f.MaxBodySessions, Ratio: f.MaxBodyRatio,
		Tags: f.MaxTags, TagBytes: int(f.MaxTagBytes), Frame: int(f.MaxFrameBytes), JSONDepth: f.MaxJSONDepth,
	}
}
