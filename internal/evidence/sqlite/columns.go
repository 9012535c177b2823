package sqlite

// Values of nullable columns: the zero value is stored as null.

func orNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func blobOrNull(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
