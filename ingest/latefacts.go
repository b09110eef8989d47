package ingest

import "tapedeck/schema/block"

// lateFacts are the facts of sessions without an open segment, by session. Each such session needs
// one segment, even if its facts alternate with facts of other sessions.
type lateFacts struct {
	bySession map[string]*lateSession
	inOrder   []*lateSession
}

type lateSession struct {
	session string
	seenAt  int64 // of its first fact, ns
	facts   block.Facts
}

// of returns where the facts of a session are gathered.
func (l *lateFacts) of(session string, seenAt int64) *block.Facts {
	s := l.bySession[session]
	if s == nil {
		if l.bySession == nil {
			l.bySession = map[string]*lateSession{}
		}
		s = &lateSession{session: session, seenAt: seenAt}
		l.bySession[session] = s
		l.inOrder = append(l.inOrder, s)
	}
	return &s.facts
}
