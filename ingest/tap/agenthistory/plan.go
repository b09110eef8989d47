package agenthistory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// headWorkers is the number of files whose heads are read concurrently.
const headWorkers = 8

// Plan compares the sources with the progress, and sets the state and head of each. Sources that
// cannot be read become problems. Plan sorts the sources by their first time and then by their last
// change: a line that several sources have is owned by the first one.
func (p *Progress) Plan(f *Found) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var unread []*Source
	sessions := map[string]string{} // maps the id of a sub-agent's session to the id of its parent
	for _, s := range f.Sources {
		if s.entry = p.paths[s.Path]; s.entry != nil && (s.entry.Deleted || s.entry.unchanged(s)) {
			s.settleKnown()
		} else {
			unread = append(unread, s)
		}
	}
	for _, e := range p.streams {
		if e.Own != "" {
			sessions[e.Own] = e.Session
		}
	}
	f.readHeads(unread, sessions)
	for _, s := range unread {
		if s.State == "" {
			s.joinParent(sessions)
			s.compare(p)
		}
	}
	slices.SortFunc(f.Sources, func(a, b *Source) int {
		return cmp.Or(cmp.Compare(a.started, b.started), a.Modified.Compare(b.Modified), cmp.Compare(a.Path, b.Path))
	})
	f.dropDuplicates()
}

// readHeads reads the heads of sources concurrently, and adds the sub-agents to sessions.
func (f *Found) readHeads(list []*Source, sessions map[string]string) {
	type result struct {
		parent string
		err    error
	}
	results := make([]result, len(list))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(headWorkers, len(list)) {
		workers.Go(func() {
			for i := range next {
				results[i].parent, results[i].err = list[i].readHead()
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, s := range list {
		switch r := &results[i]; {
		case errors.Is(r.err, errEmpty):
			s.State = StateEmpty
		case r.err != nil:
			s.State = StateBad
			f.Problems = append(f.Problems, problem(s.Path, r.err))
		case r.parent != "":
			s.own = s.Session
			sessions[s.own] = r.parent
		}
	}
	f.reportUnknown(list)
}

// reportUnknown adds one problem for the files of an agent with the same unknown format.
func (f *Found) reportUnknown(list []*Source) {
	type kind struct {
		agent Agent
		what  string
	}
	first, count := map[kind]*Source{}, map[kind]int{}
	for _, s := range list {
		if k := (kind{s.Agent, s.unknown}); s.unknown != "" {
			if count[k]++; first[k] == nil {
				first[k] = s
			}
		}
	}
	for _, s := range list {
		k := kind{s.Agent, s.unknown}
		if s != first[k] {
			continue
		}
		reason := fmt.Sprintf("%s of %s that this program does not know: it is recorded, and facts may be missing", k.what, formats[k.agent].title)
		if n := count[k] - 1; n > 0 {
			reason += fmt.Sprintf(" (so are %d other files)", n)
		}
		f.Problems = append(f.Problems, Problem{Path: s.Path, Reason: reason, Foreign: true, Recorded: true})
	}
}

// joinParent puts a sub-agent's source into the session of the topmost agent that started it.
func (s *Source) joinParent(sessions map[string]string) {
	for depth := 0; sessions[s.Session] != "" && depth < depthLimit; depth++ {
		s.Session = sessions[s.Session]
	}
}

// settleKnown sets the state and head of an unchanged source from its entry.
func (s *Source) settleKnown() {
	e := s.entry
	s.Agent, s.Session, s.Project, s.Branch, s.own = e.Agent, e.Session, e.Project, e.Branch, e.Own
	switch {
	case e.Deleted:
		s.State = StateDeleted
	case e.Copy:
		s.State = StateCopy
	default:
		s.State = StateStored
	}
}

// compare sets the state of a source whose head was read. If another session was recorded from the
// same path before, the source is new. A file that was moved, or is found through another link, is
// recognised by its stream.
func (s *Source) compare(p *Progress) {
	if e := s.entry; e != nil && e.Own != "" && e.Own == s.own {
		s.Session = e.Session // the file may name the parent only now
	}
	if e := s.entry; e != nil && (e.Agent != s.Agent || e.Session != s.Session) {
		s.entry = nil
	}
	if s.entry == nil {
		s.entry = p.moved(s)
	}
	switch e := s.entry; {
	case e == nil:
		s.State = StateNew
	case e.Deleted:
		s.State = StateDeleted
	case e.Path != s.Path && !s.isFile(e.Path) && s.within(e.Path):
		s.State = StateCopy
	case s.kind == lines && s.Size < e.Offset:
		s.State = StateRewritten
	default:
		s.State = StateGrown
	}
}
