INSERT INTO audit_log (tenant, at, id, ended, principal_kind, principal_id, principal_name, remote, action, kind, object, detail, outcome, status, request_id)
