{{- /* How many rows the frames of one session stand in. */ -}}
SELECT count() AS found FROM frames WHERE {{template "stored_frames"}}
