{{- /* The streams that were imported after a time. */ -}}
SELECT DISTINCT stream_id FROM restores WHERE tenant = {tenant:String} AND restored_at > {at:DateTime64(9, 'UTC')}
