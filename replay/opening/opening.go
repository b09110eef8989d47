// Package opening lets a client of a protocol with parts follow a replay that begins in the middle. Such
// clients refuse a delta of a message whose start they did not receive. The frames that opened what is open at the
// place where the replay begins are therefore sent before it, as they were recorded.
package opening

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/schema"
)

// limit bounds the bytes of the frames that are sent before the place, those of all streams together. Without
// a limit the changes of a long run's state could take any amount of memory. frameSize is added for each frame.
const (
	limit     = 8 << 20
	frameSize = 256
)

// ErrTooLarge is returned if the frames that would have to be sent are larger than limit.
var ErrTooLarge = errors.New("the frames that opened the parts at this place are too large")

// Frames returns the frames before a place of a tape that opened what is open there, in their order. Their
// times are that of the place, so that they are due when playing begins. They are none for streams of dialects
// whose clients do not need them. keep, if set, selects streams.
func Frames(ctx context.Context, t replay.Tape, from replay.Place, keep func(*schema.StreamState) bool) ([]replay.Frame, error) {
	types := map[string]bool{}
	for _, s := range t.Streams() {
		if keep == nil || keep(&s) {
			for name := range dialects[s.Dialect] {
				types[name] = true
			}
		}
	}
	if len(types) == 0 || from.Live {
		return nil, nil
	}
	s := &t.Streams()[0]
	if !from.Before(schema.Position{At: s.FirstAt, StreamID: s.StreamID, Seq: s.FirstSeq}) {
		return nil, nil
	}
	r, err := t.Read(ctx, replay.Query{
		To:     schema.Position{At: from.Position.At, StreamID: from.Position.StreamID, Seq: from.Position.Seq},
		Filter: replay.Filter{Types: slices.Sorted(maps.Keys(types)), Directions: []schema.Direction{schema.Receive}},
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	open := map[string]*stream{}
	size := 0
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, replay.ErrLive) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range frames {
			f := &frames[i]
			if !from.Before(f.Position()) || keep != nil && !keep(f.Stream) {
				continue
			}
			s := open[f.Stream.StreamID]
			if s == nil {
				s = &stream{rules: dialects[f.Stream.Dialect], parts: map[key][]replay.Frame{}, chunked: map[string]part{}, size: &size}
				open[f.Stream.StreamID] = s
			}
			if s.see(f); size > limit {
				return nil, fmt.Errorf("%w: more than %d bytes; begin at the start of the run", ErrTooLarge, limit)
			}
		}
	}
	var list []replay.Frame
	for _, s := range open {
		for _, p := range s.parts {
			list = append(list, p...)
		}
	}
	slices.SortFunc(list, func(a, b replay.Frame) int { return a.Position().Compare(b.Position()) })
	for i := range list {
		list[i].At, list[i].Cuts = from.Position.At, nil
	}
	return list, nil
}

// stream is what is open in a stream.
type stream struct {
	rules map[string]rule
	parts map[key][]replay.Frame // an open part or a state, and its frames
	// chunked is the open part of chunks of each lane: of the run, whose lane is "", and of sub-agents.
	chunked map[string]part
	size    *int // bytes of the frames of all streams
}

// part is an open part of chunks: its kind, and the id that its first chunk states.
type part struct{ kind, id string }

// key identifies a part of a stream.
type key struct{ kind, id string }

// see applies the effect of a frame.
func (s *stream) see(f *replay.Frame) {
	r, known := s.rules[f.Type]
	if !known {
		return
	}
	if r.effect == chunks {
		s.chunk(&r, f)
		return
	}
	if len(s.chunked) > 0 && !r.beside {
		s.endChunks(f)
	}
	switch r.effect {
	case begins, ends:
		for k := range s.parts {
			s.remove(k)
		}
		clear(s.chunked)
		if r.effect == begins {
			s.keep(key{}, f)
		}
		return
	}
	id := ""
	if r.member != nil {
		v := parse(f)
		id = text(v, r.member...)
		if n := len(r.only) - 1; n > 0 && string(v.GetStringBytes(r.only[:n]...)) != r.only[n] {
			return
		}
		if r.unless != "" && v.GetBool(r.unless) {
			r.effect = adds
		}
	}
	k := key{r.kind, id}
	if r.effect == adds {
		if s.parts[k] != nil {
			s.keep(k, f)
		}
		return
	}
	s.remove(k)
	if r.effect != closes {
		s.keep(k, f)
	}
}

// remove removes a part, if it is open.
func (s *stream) remove(k key) {
	for i := range s.parts[k] {
		*s.size -= len(s.parts[k][i].Raw) + frameSize
	}
	delete(s.parts, k)
}

// lane is the member that names the sub-agent of a frame.
const lane = "subagentRunId"

// chunk applies the effect of a chunk.
func (s *stream) chunk(r *rule, f *replay.Frame) {
	v := parse(f)
	of, id := text(v, lane), text(v, r.member...)
	k := key{"chunks", of}
	if open, is := s.chunked[of]; !is || open.kind != r.kind || id != "" && open.id != id {
		s.remove(k)
		delete(s.chunked, of)
		if id == "" {
			return // a chunk that clients refuse
		}
		s.chunked[of] = part{r.kind, id}
	}
	s.keep(k, f)
}

// endChunks removes the open part of chunks of a frame's lane.
func (s *stream) endChunks(f *replay.Frame) {
	of := text(parse(f), lane)
	s.remove(key{"chunks", of})
	delete(s.chunked, of)
}

// parse returns the JSON of a frame; nil for a frame without it.
func parse(f *replay.Frame) *fastjson.Value {
	content, _ := schema.Unframe(&f.Frame, nil)
	v, err := fastjson.ParseBytes(content.Data)
	if err != nil {
		return nil
	}
	return v
}

// text returns a member of any type as JSON, "" if there is none.
func text(v *fastjson.Value, path ...string) string {
	if of := v.Get(path...); of != nil {
		return string(of.MarshalTo(nil))
	}
	return ""
}

// keep adds a frame to a part, which it opens if necessary. The reader reuses the memory of its frames.
func (s *stream) keep(k key, f *replay.Frame) {
	kept := *f
	kept.Raw, kept.Encoding = slices.Clone(f.Raw), nil
	s.parts[k] = append(s.parts[k], kept)
	*s.size += len(kept.Raw) + frameSize
}
