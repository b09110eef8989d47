{{- /* The sessions of a tenant. If the argument of the template is true, streams that were imported after a time are left out. */ -}}
SELECT DISTINCT session_id FROM streams WHERE tenant = {tenant:String} AND ({until:String} = '' OR stream_id <= {until:String})
{{- if .}}
    AND (session_id, stream_id) NOT IN (
        SELECT session_id, stream_id FROM restores WHERE tenant = {tenant:String} AND restored_at > {at:DateTime64(9, 'UTC')})
{{- end}}
ORDER BY session_id
