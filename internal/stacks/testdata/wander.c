/* Reads 64 MiB in an order that no cache foresees, so that what the kernel reads meanwhile is in none either. */
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
	const uint64_t words = 8 << 20;
	uint64_t *memory = malloc(8 * words), at = 1, sum = 0;

	for (uint64_t i = 0; i < words; i++)
		memory[i] = i;
	for (;;) {
		at = at * 6364136223846793005u + 1442695040888963407u;
		sum += memory[(at >> 33) % words];
		if (sum == 1)
			return 1; /* else the reads could be left out */
	}
}
