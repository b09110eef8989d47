package bench

import "context"

// Sizes of the workloads that are measured in bytes.
const (
	textSize   = 4096 // bytes of one text
	textFrames = 11_000
	homeBytes  = 300_000_000
)

// Names of workloads for which there are bars.
const (
	shortTexts = "texts of 4 KB, short sessions"
	longTexts  = "texts of 4 KB, long sessions"
	agentHome  = "a home of Claude Code"
)

// measureBytes measures the workloads whose frames are not small: each until durable and until
// stored, with the plain insert of the same bytes beside it. The workload of the small frames is
// measureEndToEnd.
func measureBytes(ctx context.Context, h *harness, r *Results) error {
	frames := pick(h, textFrames, textFrames/10)
	for _, workloadOf := range []func() (*workload, error){
		func() (*workload, error) { return h.textWorkload(shortTexts, frames, frames/100) },
		func() (*workload, error) { return h.textWorkload(longTexts, frames, frames/10) },
		func() (*workload, error) { return h.homeWorkload(pick(h, homeBytes, homeBytes/50)) },
		func() (*workload, error) { return deltaWorkload(pick(h, deltaAnswers, deltaAnswers/10)), nil },
		func() (*workload, error) { return spanWorkload(pick(h, spanRequests, spanRequests/10)) },
	} {
		w, err := workloadOf()
		if err != nil {
			return err
		}
		h.Say("  " + w.name + " …")
		e, err := h.recordings(ctx, w, pick(h, 3, 1))
		if err != nil {
			return err
		}
		r.Bytes = append(r.Bytes, e)
	}
	return nil
}

// Workloads returns the workloads of the parts "whole" and "bytes" that were measured.
func (r *Results) Workloads() (list []*EndToEnd) {
	if r.EndToEnd != nil && r.EndToEnd.Name != "" {
		list = append(list, r.EndToEnd)
	}
	return append(list, r.Bytes...)
}

// workload returns the results of a workload of measureBytes by its name; nil if it was not
// measured.
func (r *Results) workload(name string) *EndToEnd {
	for _, e := range r.Bytes {
		if e.Name == name {
			return e
		}
	}
	return nil
}
