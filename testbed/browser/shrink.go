package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// shrink writes a picture with 256 colours: the ones that most of its pixels have, and
// for the others the nearest of those. A page has few colours and the shades between
// them, so nobody sees a difference but in the size.
func shrink(data []byte) ([]byte, error) {
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r := src.Bounds()
	count := map[color.RGBA]int{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[at(src, x, y)]++
		}
	}
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var few color.Palette
	for _, c := range all[:min(len(all), 256)] {
		few = append(few, c)
	}
	nearest := map[color.RGBA]uint8{}
	dst := image.NewPaletted(r, few)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := at(src, x, y)
			i, ok := nearest[c]
			if !ok {
				i = uint8(few.Index(c))
				nearest[c] = i
			}
			dst.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, dst)
	return out.Bytes(), err
}

func at(p image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(p.At(x, y)).(color.RGBA)
}
