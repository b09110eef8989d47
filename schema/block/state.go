package block

import (
	"maps"
	"slices"

	"tapedeck/schema"
)

// writeStates writes one record with the state of the block, the final states of segments in other
// sessions, and the identity of the block's state. Empty values at the end of the record are
// omitted.
func writeStates(w *writer, blk *Block) {
	writeState(w, &blk.State)
	if len(blk.Left) == 0 && !hasIdentity(&blk.State) {
		return
	}
	w.uint(uint64(len(blk.Left)))
	for i := range blk.Left {
		w.record(func() {
			state := blk.Left[i].State
			state.StreamID = "" // readers use the stream id of the block
			w.string(blk.Left[i].Session)
			writeState(w, &state)
			writeIdentity(w, &state)
		})
	}
	writeIdentity(w, &blk.State)
}

func readStates(r reader, blk *Block) error {
	blk.State, blk.Left = readState(&r), blk.Left[:0]
	if len(r.b) == 0 {
		return r.err
	}
	for range r.items(leftSize, leftMemory) {
		of := r.record()
		left := Left{of.string(), readState(&of)}
		readIdentity(&of, &left.State)
		if of.err != nil {
			return of.err
		}
		left.State.StreamID = blk.State.StreamID
		blk.Left = append(blk.Left, left)
	}
	readIdentity(&r, &blk.State)
	return r.err
}

// hasIdentity reports whether a state has a recorder, a digest, a key, a decoder version, counts of
// masked secrets or limits.
func hasIdentity(s *schema.StreamState) bool {
	return s.Recorder != "" || s.Digest != "" || s.Key != "" || s.DecoderVersion != 0 || len(s.Redacted) > 0 || s.Limits != ""
}

// writeIdentity appends the fields that block.md calls identity, if any of them is set.
func writeIdentity(w *writer, s *schema.StreamState) {
	if !hasIdentity(s) {
		return
	}
	w.string(s.Recorder)
	w.string(s.Digest)
	w.string(s.Key)
	if s.DecoderVersion != 0 || len(s.Redacted) > 0 || s.Limits != "" {
		w.uint(uint64(s.DecoderVersion))
	}
	if len(s.Redacted) > 0 || s.Limits != "" {
		w.uint(uint64(len(s.Redacted)))
		for _, rule := range slices.Sorted(maps.Keys(s.Redacted)) {
			w.string(rule)
			w.uint(s.Redacted[rule])
		}
	}
	if s.Limits != "" {
		w.string(s.Limits)
	}
}

// readIdentity reads the identity if the record has one.
func readIdentity(r *reader, s *schema.StreamState) {
	if r.err == nil && len(r.b) > 0 {
		s.Recorder, s.Digest, s.Key = r.string(), r.string(), r.string()
	}
	if r.err == nil && len(r.b) > 0 {
		s.DecoderVersion = uint32(r.uint())
	}
	if r.err == nil && len(r.b) > 0 {
		if n := r.items(2, pairMemory); n > 0 {
			s.Redacted = make(map[string]uint64, n)
			for range n {
				rule := r.string()
				s.Redacted[rule] = r.uint()
			}
		}
	}
	if r.err == nil && len(r.b) > 0 {
		s.Limits = r.string()
	}
}

// leftSize is the minimum size of a segment in another session: its length, and a byte for each
// field.
const leftSize = 24

func writeState(w *writer, s *schema.StreamState) {
	w.string(s.StreamID)
	w.uint(s.FirstSeq)
	w.byte(byte(s.Transport))
	w.string(s.Dialect)
	w.string(s.Evidence)
	w.string(s.Source)
	w.string(s.Title)
	w.uint(uint64(len(s.Tags)))
	for _, k := range slices.Sorted(maps.Keys(s.Tags)) {
		w.string(k)
		w.string(s.Tags[k])
	}
	w.int(s.FirstAt)
	w.int(s.LastAt)
	w.uint(s.Frames)
	w.uint(s.Bytes)
	w.int(s.Ended)
	w.string(s.EndReason)
	for _, n := range counters(&s.Counters) {
		w.uint(*n)
	}
	w.uint(s.Version)
}

func readState(r *reader) schema.StreamState {
	s := schema.StreamState{
		StreamID: r.string(), FirstSeq: r.uint(), Transport: schema.Transport(r.byte()),
		Dialect: r.string(), Evidence: r.string(), Source: r.string(), Title: r.string(),
	}
	if n := r.items(2, pairMemory); n > 0 {
		s.Tags = make(map[string]string, n)
		for range n {
			k := r.string()
			s.Tags[k] = r.string()
		}
	}
	s.FirstAt, s.LastAt, s.Frames, s.Bytes = r.int(), r.int(), r.uint(), r.uint()
	s.Ended, s.EndReason = r.int(), r.string()
	for _, n := range counters(&s.Counters) {
		*n = r.uint()
	}
	s.Version = r.uint()
	return s
}

// counters fixes the order of the counters.
func counters(c *schema.Counters) [7]*uint64 {
	return [...]*uint64{&c.NotJSON, &c.InvalidUTF8, &c.Oversize, &c.Unknown, &c.Lost, &c.Repeated, &c.Back}
}
