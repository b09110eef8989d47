{{- /* How far a backup or restore is. */ -}}
SELECT toString(status), error, query_id, num_files, total_size, files_read, bytes_read
FROM system.backups WHERE id = {id:String}
