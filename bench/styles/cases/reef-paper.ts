import { type DocumentCases, fact } from '../case.ts'

export const reefPaper: DocumentCases = {
  file: 'reef-paper.md',
  kind: 'scientific paper',
  language: 'en',
  isAside: false,
  about: 'What did the study of shaded corals find?',
  facts: [
    fact(
      'Where did the fragments come from?',
      'The fragments were taken from 26 donor colonies at Laguna Verde.',
      'Fragments came from 26 donor colonies at Laguna Verde, at a depth of 4 to 7 m.',
      'Fragments came from 26 donor colonies in Laguna Verde, at a depth of 4 to 7 m.',
      ['Fragments came from 26 donor colonies', 'a depth of 4 to 7 m'],
    ),
    fact(
      'How often was the water temperature recorded?',
      'Calibrated loggers recorded the water temperature every 15 minutes.',
      'Water temperature was recorded every 15 minutes with calibrated loggers.',
      'Water temperature was recorded every 15 minutes using calibrated loggers.',
      ['Water temperature was recorded every 15 minutes', 'calibrated loggers'],
    ),
    fact(
      'Which peak temperature was reached?',
      'The temperature peaked at 31.8 °C on 12 August 2019.',
      'Peak temperature reached 31.8 °C on 12 August 2019.',
      'The peak temperature reached 31.8 °C on 12 August 2019.',
      ['Peak temperature reached 31.8 °C', 'on 12 August 2019'],
    ),
    fact(
      'Why should shading not last longer than four months?',
      'Shading for more than four months is not recommended because algae overgrew the mesh.',
      'We do not recommend shading for longer than four months, since algae overgrew the mesh.',
      'We do not recommend shading for more than four months, since algae overgrew the mesh.',
      ['We do not recommend shading for longer than four months', 'algae overgrew the mesh'],
    ),
  ],
  table: {
    question: 'How many fragments survived in each treatment?',
    header: '| Treatment | Survival |\n|---|---|',
    rows: [
      ['No shade | 71.2%', 'No shade 104 48.2 ± 3.1 71.2 6.4 ± 0.5'],
      ['60% shade | 91.3%', '60% shade 104 19.6 ± 2.4 91.3 6.1 ± 0.6'],
    ],
  },
  truths: [
    {
      style: 'number with ±',
      question: 'How much bleaching was there under 60% shade?',
      draft:
        'Bleaching fell to 19.6 ± 2.4% under 60% shade (p = 0.003).{{Bleaching fell from 48.2 ± 3.1% without shade to 19.6 ± 2.4% under 60% shade (p = 0.003)}}',
    },
    {
      style: 'number with ±',
      question: 'How fast did unshaded fragments grow?',
      draft: 'Fragments without shade grew 6.4 mm per month (± 0.5).{{No shade 104 48.2 ± 3.1 71.2 6.4 ± 0.5}}',
    },
    {
      style: 'p-value',
      question: 'Did shading improve survival?',
      draft:
        'Survival was significantly higher under 60% shade (p<0.001).{{Survival was higher under 60% shade than without shade (p < 0.001)}}',
    },
    {
      style: 'scientific notation',
      question: 'What was the symbiont density at the start?',
      draft:
        'It was 1.8 × 10⁶ cells per cm² on average.{{The mean symbiont density at the start was 1.8 × 10^6 cells per cm²}}',
    },
    {
      style: 'scientific notation',
      question: 'What was the symbiont density at the start?',
      draft:
        'The mean density was 1.8 million cells per cm².{{The mean symbiont density at the start was 1.8 × 10^6 cells per cm²}}',
    },
    {
      style: 'unit from the header',
      question: 'What was the survival under 30% shade?',
      draft: 'Under 30% shade, survival was 83.7%.{{30% shade 104 33.7 ± 2.9 83.7 6.6 ± 0.4}}',
    },
    {
      style: 'rounded number',
      question: 'How many unshaded fragments bleached?',
      draft: 'Nearly half of the unshaded fragments bleached.{{No shade 104 48.2 ± 3.1 71.2 6.4 ± 0.5}}',
    },
    {
      style: 'rounded number',
      question: 'How many unshaded fragments bleached?',
      draft: 'About 48% of the fragments bleached without shade.{{Bleaching fell from 48.2 ± 3.1% without shade}}',
    },
    {
      style: 'no first',
      question: 'Did shading cool the water?',
      draft:
        'No, shading did not change the temperature of the water.{{Shading did not change the temperature of the water}}',
    },
    {
      style: 'organisation for "we"',
      question: 'What do the authors recommend?',
      draft:
        'Brandvold et al. (2021) do not recommend shading for longer than four months.{{We do not recommend shading for longer than four months}}',
    },
    {
      style: 'organisation for "we"',
      question: 'Which model was used?',
      draft:
        'The authors used a generalised linear mixed model with colony as a random effect.{{We used a generalised linear mixed model with colony as a random effect}}',
    },
    {
      style: 'hedge',
      question: 'How does shading protect corals?',
      draft:
        'Shading probably protects corals by reducing light stress rather than by cooling.{{Shading appears to protect corals by reducing light stress and not by cooling}}',
    },
    {
      style: 'percentage points',
      question: 'By how much did bleaching fall?',
      draft:
        'Bleaching fell by 28.6 percentage points, from 48.2% to 19.6%.{{Bleaching fell from 48.2 ± 3.1% without shade to 19.6 ± 2.4% under 60% shade}}',
    },
    {
      style: 'sum',
      question: 'How many fragments were shaded?',
      draft:
        'In all, 208 fragments were shaded, 104 in each of two groups.{{30% shade 104 33.7}}{{60% shade 104 19.6}}',
    },
    {
      style: 'derived comparison',
      question: 'Which treatment had the highest survival?',
      draft:
        'Survival was highest under 60% shade, at 91.3%.{{60% shade 104 19.6 ± 2.4 91.3 6.1 ± 0.6}}{{30% shade 104 33.7 ± 2.9 83.7}}{{No shade 104 48.2 ± 3.1 71.2}}',
    },
    {
      style: 'what the passages do not say',
      question: 'Who funded the work, and what did it cost?',
      draft:
        'The work was funded by the Calder Foundation.{{The work was funded by the Calder Foundation under grant CF-2018-044}} The paper does not report what it cost.',
      free: ['The paper does not report what it cost.'],
    },
    {
      style: 'label with digits',
      question: 'Under which grant was the work funded?',
      draft:
        'It was funded under grant CF-2018-044 (see Table 1 for the results).{{funded by the Calder Foundation under grant CF-2018-044}}',
    },
    {
      style: 'answer in another language',
      question: 'Wie stark ging die Bleiche zurück?',
      draft:
        'Die Bleiche ging von 48,2 ± 3,1 % auf 19,6 ± 2,4 % zurück.{{Bleaching fell from 48.2 ± 3.1% without shade to 19.6 ± 2.4% under 60% shade}}',
    },
    {
      style: 'answer in another language',
      question: '¿Cuántos fragmentos se estudiaron?',
      draft:
        'Se estudiaron 312 fragmentos durante 94 días.{{Over 94 days, 312 fragments were kept under 30% shade, 60% shade or no shade}}',
    },
    {
      style: 'number spelt out',
      question: 'How many sites were studied?',
      draft: 'Only 1 site and 1 species were studied.{{Our study was limited to one site and one species}}',
    },
  ],
  lies: [
    {
      class: 'direction',
      question: 'How did bleaching change under shade?',
      draft:
        'Bleaching rose from 48.2% to 19.6% under 60% shade.{{Bleaching fell from 48.2 ± 3.1% without shade to 19.6 ± 2.4% under 60% shade}}',
    },
    {
      class: 'swapped order',
      question: 'How did bleaching change under shade?',
      draft:
        'Bleaching fell from 19.6% to 48.2% under shade.{{Bleaching fell from 48.2 ± 3.1% without shade to 19.6 ± 2.4% under 60% shade}}',
    },
    {
      class: 'other row',
      question: 'What was the survival without shade?',
      draft: 'Survival without shade was 83.7%.{{30% shade 104 33.7 ± 2.9 83.7 6.6 ± 0.4}}',
    },
    {
      class: 'other column',
      question: 'What was the survival under 60% shade?',
      draft: 'Survival under 60% shade was 19.6%.{{60% shade 104 19.6 ± 2.4 91.3 6.1 ± 0.6}}',
    },
    {
      class: 'percentage points',
      question: 'By how much did bleaching fall?',
      draft:
        'Bleaching fell by 28.6 percent, from 48.2% to 19.6%.{{Bleaching fell from 48.2 ± 3.1% without shade to 19.6 ± 2.4% under 60% shade}}',
    },
    {
      class: 'negation',
      question: 'Did growth differ?',
      draft: 'Growth differed between the groups (p = 0.41).{{Growth did not differ between the groups (p = 0.41)}}',
    },
    {
      class: 'negation',
      question: 'Did shading cool the water?',
      draft: 'Shading changed the temperature of the water.{{Shading did not change the temperature of the water}}',
    },
    {
      class: 'wrong p-value',
      question: 'Was the survival effect significant?',
      draft:
        'Survival was higher under 60% shade (p < 0.01).{{Survival was higher under 60% shade than without shade (p < 0.001)}}',
    },
    {
      class: 'other power of ten',
      question: 'What was the symbiont density?',
      draft:
        'The mean symbiont density was 1.8 × 10^9 cells per cm².{{The mean symbiont density at the start was 1.8 × 10^6 cells per cm²}}',
    },
    {
      class: 'other unit',
      question: 'How deep were the colonies?',
      draft: 'The colonies were at a depth of 4 to 7 km.{{at a depth of 4 to 7 m}}',
    },
    {
      class: 'wrong month',
      question: 'When was the peak temperature reached?',
      draft: 'The peak of 31.8 °C was reached on 12 April 2019.{{Peak temperature reached 31.8 °C on 12 August 2019}}',
    },
    {
      class: 'wrong comparison',
      question: 'Which fragments bleached less?',
      draft:
        'Fragments from shallow colonies bleached less than fragments from deeper ones.{{Fragments from deeper colonies bleached less than fragments from shallow ones}}',
    },
    {
      class: 'swapped cause',
      question: 'How does shading work?',
      draft:
        'Shading protects corals by cooling and not by reducing light stress.{{Shading appears to protect corals by reducing light stress and not by cooling}}',
    },
    {
      class: 'too general',
      question: 'Does the result hold for other reefs?',
      draft:
        'The effect was found at all sites and in all species.{{Our study was limited to one site and one species}}',
    },
    {
      class: 'other subject',
      question: 'What was studied?',
      draft:
        'The study kept 312 sponges under shade.{{Over 94 days, 312 fragments were kept under 30% shade, 60% shade or no shade}}',
    },
    {
      class: 'wrong thing counted',
      question: 'What is 26?',
      draft: 'The study lasted 26 days.{{Fragments came from 26 donor colonies at Laguna Verde}}',
    },
    {
      class: 'wrong result',
      question: 'How many fragments were shaded?',
      draft:
        'In all, 218 fragments were shaded, 104 in each of two groups.{{30% shade 104 33.7}}{{60% shade 104 19.6}}',
    },
    {
      class: 'wrong name',
      question: 'Who funded the work?',
      draft:
        'The work was funded by the Laguna Verde Foundation.{{The work was funded by the Calder Foundation under grant CF-2018-044}}',
    },
    {
      class: 'recommendation turned',
      question: 'How long should corals be shaded?',
      draft:
        'The authors recommend shading for longer than four months.{{We do not recommend shading for longer than four months, since algae overgrew the mesh}}',
    },
    {
      class: 'invented quote',
      question: 'Is the effect lasting?',
      draft:
        'The effect lasted for two years.<cite id="{{#The effect was strongest in the second month}}">the protective effect persisted for two years</cite>',
    },
  ],
}
