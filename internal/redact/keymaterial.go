package redact

import "strings"

// notSecretKeys are words before key in names of things that are no secret.
var notSecretKeys = wordSet(`primary foreign partition sort cache idempotency public row range hash object bucket map index unique group routing message translation lookup order issue project
	shortcut hot arrow json dict config state registry react list item next last start end continuation dedup dedupe dedupl idempotent cluster shard composite candidate natural surrogate
	search answer license_plate any the a no each sub parent child data column field attribute label tag metric span trace session_cache lock queue topic event record document doc blob
	file image asset content etag checksum digest fingerprint commit build artifact restore save publishable site pub kms ssh_public verification storage_cache`)

// keyName reports whether the key that starts at s[from] is the last word of a
// name of several that is not known for harmless keys.
func keyName(s string, from, lo int) bool {
	if from <= lo {
		return false
	}
	before, first := s[from-1], s[from]
	camel := 'a' <= before && before <= 'z' && first == 'K'
	if !camel && before != '_' && before != '-' && before != '.' {
		return false
	}
	end := from
	if !camel {
		end--
	}
	start := end
	for start > lo && end-start < maxNameTail {
		if c := fold(s[start-1]); c < 'a' || c > 'z' {
			break
		}
		start--
		if camel && s[start] <= 'Z' {
			break
		}
	}
	var buf [maxNameTail]byte
	n := copy(buf[:], s[start:end])
	for i := range buf[:n] {
		buf[i] = fold(buf[i])
	}
	return n > 0 && !notSecretKeys[string(buf[:n])]
}

// keyMaterial reports whether a value can hardly be anything but a drawn key.
func keyMaterial(v string) bool {
	v = strings.TrimPrefix(v, "base64:")
	if len(v) < 20 || len(v) > 512 || !hasDigit(v) || !hasLetter(v) {
		return false
	}
	for i := 0; i < len(v); i++ {
		if !base64Bytes[v[i]] && v[i] != '=' && v[i] != '.' && v[i] != '~' {
			return false
		}
	}
	if isUUID(v) || isRoute(v) || strings.Count(v, "-")+strings.Count(v, "_")+strings.Count(v, ".")+strings.Count(v, "/") > 2+len(v)/10 {
		return false
	}
	digits, upper := 0, false
	for i := 0; i < len(v); i++ {
		if isDigit(v[i]) {
			digits++
		}
		upper = upper || 'A' <= v[i] && v[i] <= 'Z'
	}
	if digits < 2 || !upper && digits*8 < len(v) {
		return false // words and a number
	}
	return entropy(v) >= 3.2
}

// isRoute reports whether the text is a path of lower case words and numbers.
func isRoute(s string) bool {
	if s[0] != '/' || strings.Count(s, "/") < 3 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '/' && s[i] != '-' && s[i] != '_' && !isDigit(s[i]) && (s[i] < 'a' || s[i] > 'z') {
			return false
		}
	}
	return true
}

// isUUID reports whether the text is 8-4-4-4-12 hex digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// randomCase reports whether letters change their case as drawn ones do, not as
// words that are joined: often, with single small letters and several capitals
// in a row.
func randomCase(s string) bool {
	changes, odd, run := 0, 0, 0
	for i := 0; i < len(s); i++ {
		lower := s[i] >= 'a'
		if run++; i+1 < len(s) && lower == (s[i+1] >= 'a') {
			continue
		}
		if i+1 < len(s) {
			changes++
		}
		if lower && run == 1 || !lower && run > 1 {
			odd++
		}
		run = 0
	}
	return changes*4 >= len(s) && odd >= 2
}
