package main

import "tapedeck/ingest"

// limitFlags bound what one client sends to a server.
type limitFlags struct {
	MaxBodyBytes    uint64 `help:"Most bytes of one body, its encoding undone." default:"274877906944" placeholder:"N"`
	MaxBodyFrames   uint64 `help:"Most frames of one body." default:"1000000000" placeholder:"N"`
	MaxBodySessions int    `help:"Most sessions that the frames of one body name." default:"100000" placeholder:"N"`
	MaxBodyRatio    int    `help:"Most decoded bytes of a body for each byte sent, from 64 MiB on." default:"200" placeholder:"N"`
	MaxTags         int    `help:"Most tags of a stream." default:"64" placeholder:"N"`
	MaxTagBytes     int    `help:"Most bytes of a tag's name and value." default:"1024" placeholder:"N"`
}

func (f limitFlags) limits() ingest.Limits {
	return ingest.Limits{
		Bytes: f.MaxBodyBytes, Frames: f.MaxBodyFrames, Sessions: f.MaxBodySessions, Ratio: f.MaxBodyRatio,
		Tags: f.MaxTags, TagBytes: f.MaxTagBytes,
	}
}
