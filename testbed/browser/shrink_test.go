package browser

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

// The colours of most pixels stay as they are, and no other one moves far.
func TestShrink(t *testing.T) {
	src := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			src.Set(x, y, color.RGBA{255, 250, 240, 255})
			if y < 16 {
				src.Set(x, y, color.RGBA{uint8(4 * x), uint8(8 * y), 0, 255})
			}
		}
	}
	var in bytes.Buffer
	require.NoError(t, png.Encode(&in, src))
	small, err := shrink(in.Bytes())
	require.NoError(t, err)
	out, err := png.Decode(bytes.NewReader(small))
	require.NoError(t, err)
	require.Equal(t, color.RGBA{255, 250, 240, 255}, at(out, 5, 40))
	require.IsType(t, &image.Paletted{}, out)
	_, err = shrink([]byte("no picture"))
	require.Error(t, err)
}
