package timeline

// tree adds every span to its parent's children and returns the roots. A span whose parent is
// missing is a root. In a cycle of parents one span is a root. Spans are ordered by start, and so
// are the children of each span.
func tree(spans []*Span) []*Span {
	byID := make(map[string]*Span, len(spans))
	for _, s := range spans {
		byID[s.ID] = s
	}
	cut := loops(spans, byID)
	roots := []*Span{}
	for _, s := range spans {
		if parent := byID[s.Parent]; parent != nil && !cut[s] {
			parent.Children = append(parent.Children, s)
			continue
		}
		roots = append(roots, s)
	}
	return roots
}

// loops returns one span of each cycle of parents, at which the cycle is broken.
func loops(spans []*Span, byID map[string]*Span) map[*Span]bool {
	cut := map[*Span]bool{}
	walk := make(map[*Span]int, len(spans)) // number of the upward walk that reached a span
	for i, s := range spans {
		at := s
		for at != nil && walk[at] == 0 {
			walk[at] = i + 1
			at = byID[at.Parent]
		}
		if at != nil && walk[at] == i+1 {
			cut[at] = true
		}
	}
	return cut
}
