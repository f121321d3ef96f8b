package chappie

// Chappie's figure 14, by name of the program: the difference of time in percent, and the temporal
// and the spatial correspondence, at periods of 1, 2, 4, ... 512 ms. It has the programs that ebb
// repeats as well.
var (
	paperTime = map[string][]float64{
		"batik":   {2.01, 1.10, -0.42, -2.06, -2.76, -3.48, -2.65, -8.17, -2.54, -6.18},
		"h2":      {-15.63, -12.63, -4.66, -5.61, -3.51, -3.15, -2.24, -1.75, -1.96, -1.93},
		"jython":  {12.86, 9.40, 9.32, 6.44, 4.07, 2.59, -0.53, -1.91, -1.51, -4.20},
		"sunflow": {1.94, 16.58, 1.76, 11.96, 7.93, 19.05, 1.12, 5.79, 14.62, -1.12},
		"tomcat":  {0.10, 0.26, 0.29, 0.30, 0.39, 0.10, -0.08, -0.21, -0.13, -0.66},
		"xalan":   {0.61, -0.81, -1.46, -1.37, -2.91, -3.61, -2.44, -4.29, -4.64, -4.04},
	}
	paperTemporal = map[string][]float64{
		"batik":   {0.86, 0.88, 0.91, 0.89, 0.91, 0.91, 0.89, 0.90, 0.90, 0.89},
		"h2":      {0.75, 0.81, 0.90, 0.90, 0.90, 0.94, 0.94, 0.94, 0.93, 0.95},
		"jython":  {0.98, 0.98, 0.99, 0.99, 0.99, 0.99, 0.99, 1.00, 1.00, 1.00},
		"sunflow": {0.98, 0.98, 0.98, 0.98, 0.98, 0.98, 0.97, 0.97, 0.98, 0.98},
		"tomcat":  {1.00, 0.96, 0.96, 0.95, 0.95, 0.92, 0.94, 0.91, 0.94, 0.95},
		"xalan":   {1.00, 1.00, 1.00, 0.98, 0.96, 0.98, 0.95, 0.99, 0.99, 0.97},
	}
	paperSpatial = map[string][]float64{
		"batik":   {0.69, 0.77, 0.80, 0.80, 0.80, 0.87, 0.82, 0.87, 0.86, 0.90},
		"h2":      {0.04, 0.16, 0.50, 0.47, 0.77, 0.91, 0.94, 0.97, 0.96, 0.97},
		"jython":  {0.80, 0.80, 0.83, 0.86, 0.90, 0.92, 0.83, 0.94, 0.87, 0.87},
		"sunflow": {0.48, 0.46, 0.39, 0.49, 0.47, 0.61, 0.87, 0.92, 0.97, 0.96},
		"tomcat":  {0.58, 0.80, 0.95, 0.97, 0.96, 0.98, 0.98, 0.98, 0.97, 0.98},
		"xalan":   {0.68, 0.68, 0.89, 0.90, 0.88, 0.75, 0.95, 0.93, 0.76, 0.88},
	}
)

// paperAt returns a value of a table for a program and a period in ms; false where there is none.
func paperAt(table map[string][]float64, program string, periodMS int) (float64, bool) {
	for i, v := range table[program] {
		if 1<<i == periodMS {
			return v, true
		}
	}
	return 0, false
}
