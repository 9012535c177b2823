package retryauth

// Config has no keys: what is a refusal is a closed list.
type Config struct {
	// prevent unkeyed literal initialization
	_ struct{}
}
