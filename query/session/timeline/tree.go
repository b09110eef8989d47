package timeline

// tree hangs every span below its parent and returns the roots. A span whose
// parent is not there is a root; of spans that are one another's ancestors one
// is. The spans come in order of their start, and so do the children of each.
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

// loops returns for each loop of parents one span at which it is to be opened.
func loops(spans []*Span, byID map[string]*Span) map[*Span]bool {
	cut := map[*Span]bool{}
	walk := make(map[*Span]int, len(spans)) // the walk up on which a span was met
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
