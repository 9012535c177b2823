package evaluation

// Config has no fields: what a result says decides what becomes of it.
type Config struct{}
